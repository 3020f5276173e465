// The traffic of a lobby without a lobby, by node's `ws`: an answer to every frame, a tick a second to everyone.
// Arguments: the path of ws, the bytes of an answer, the bytes of a tick. Prints its port as JSON.

import { createRequire } from 'node:module';

const [, , folder, answerBytes, tickBytes] = process.argv;
const { WebSocketServer } = createRequire(`${folder}/`)('ws');
const answer = Buffer.alloc(Number(answerBytes), 1);
const tick = Buffer.alloc(Number(tickBytes), 2);

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false, maxPayload: 4096 });
server.on('connection', (socket) => socket.on('message', () => socket.send(answer)));
server.on('listening', () => console.log(JSON.stringify({ port: server.address().port })));
setInterval(() => {
  for (const socket of server.clients) socket.send(tick);
}, 1000);
