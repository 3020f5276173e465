// The vectors of SPEC.md against the code of the verifier: every line of its ```vectors blocks.

import { createPrivateKey, createPublicKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import {
  NO_CONTEXT, documentHash, hash, isSigned, readDeal, readEvent, readGap, readSeal, readSeats, readStart,
  sha256, u32,
} from './record.mjs';
import { Deck, Game, linkBefore } from './race.mjs';
import { SoloDeck, seedOf } from './solo.mjs';

// ---- Small makers of bytes, as the text of SPEC.md asks for them ----

const join = (...parts) => Buffer.concat(parts.map((part) => (typeof part === 'number' ? Buffer.of(part) : part)));
const u64 = (number) => join(u32(Math.floor(number / 2 ** 32)), u32(number % 2 ** 32));
const counting = (first, length = 32) => Buffer.from(Array.from({ length }, (_, index) => first + index));
const text = (string) => Buffer.from(string);

const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex'); // what X.509 puts before a raw seed

function publicKey(seed) {
  const secret = createPrivateKey({ key: join(PKCS8_HEAD, seed), format: 'der', type: 'pkcs8' });
  return createPublicKey(secret).export({ format: 'der', type: 'spki' }).subarray(-32);
}

function fingerprint(key) {
  const bits = BigInt(`0x${sha256(key).subarray(0, 10).toString('hex')}`);
  const digits = '0123456789abcdefghjkmnpqrstvwxyz';
  return Array.from({ length: 16 }, (_, at) => digits[Number((bits >> BigInt(75 - 5 * at)) & 31n)]).join('');
}

/** The little of msgpack that the frames need: short maps, texts and bytes, and small numbers. */
function msgpack(value) {
  if (typeof value === 'number') return Buffer.of(value);
  if (typeof value === 'string') return join(0xa0 | value.length, text(value));
  if (Buffer.isBuffer(value)) return join(0xc4, value.length, value);
  if (Array.isArray(value)) return join(0x90 | value.length, ...value.map(msgpack));
  const entries = Object.entries(value);
  return join(0x80 | entries.length, ...entries.flat().map(msgpack));
}

function readVectors(path) {
  const blocks = [...readFileSync(path, 'utf8').matchAll(/^```vectors\n(.*?)^```/gms)].map(([, block]) => block);
  const lines = blocks.join('').replaceAll(/\n +/g, '').trim().split('\n');
  return Object.fromEntries(lines.map((line) => line.split(' = ')));
}

// ---- The game of fox ----

function playFox(deal, deck, mix, key) {
  const game = new Game(deal.size, deck);
  const directions = [];
  const heads = [hash('log', mix, Buffer.of(0), key)];
  while (game.maxExponent < 3) {
    const direction = [0, 1, 2, 3].find((each) => game.move(each));
    directions.push(direction);
    heads.push(hash('move', heads.at(-1), Buffer.of(direction), u32(100 * directions.length)));
  }
  return { directions, heads };
}

// ---- What must come out, by the name of the vector: bytes, a text, or whether what was given holds ----

/** What the vectors are made from: the vectors themselves, and the keys, hashes and deck of their race. */
function makeRace(given) {
  const bytes = (name) => Buffer.from(given[name], 'hex');
  const signed = (name) => ({ body: bytes(name), signature: bytes(`${name}.signature`) });
  const [lobby, fox, owl] = [0x00, 0x20, 0x40].map((first) => publicKey(counting(first)));
  const deal = readDeal(bytes('deal'));
  const dealHash = documentHash('deal', signed('deal'));
  const seatsHash = documentHash('seats', signed('seats'));
  const nonces = [counting(0x60), counting(0x80)];
  const mix = hash('mix', dealHash, seatsHash, ...nonces);
  const links = [counting(0xc0)];
  for (let number = 8; number > 0; number--) links.unshift(linkBefore(counting(0xa0, 16), number, links[0]));
  const deck = new Deck(deal, mix, links);
  const tickSeen = 2 ** 32 + 1;
  return { bytes, signed, lobby, fox, owl, deal, dealHash, seatsHash, nonces, mix, links, deck, tickSeen };
}

const beforeARace = ({ signed, lobby, fox, owl }) => ({
  'lobby.key': lobby,
  'lobby.fingerprint': fingerprint(lobby),
  'fox.key': fox,
  'owl.key': owl,
  'hash.text': hash('text', u32(5), text('hello')),
  'frame.hello': msgpack({ type: 'hello', nonce: counting(0xe0), protocol: 1, program: 'spec' }),
  'frame.slice': msgpack({ type: 'slice', moves: Buffer.of(0, 1), seal: [Buffer.of(2), Buffer.alloc(64)] }),
  'frame.stand': msgpack({ type: 'stand' }),
  challenge: join(counting(0xe0), counting(0x10), u32(1)),
  'challenge.signature': isSigned(signed('challenge'), lobby, 'challenge', NO_CONTEXT),
  proof: join(lobby, counting(0x10), fox, 1, u32(1)),
  'proof.signature': isSigned(signed('proof'), fox, 'proof', NO_CONTEXT),
});

function lobbyDocuments({ bytes, signed, lobby, fox, owl, deal, dealHash, seatsHash, nonces, mix }) {
  const commitment = (key, nonce) => hash('nonce', dealHash, key, nonce);
  const ready = (name, key, nonce, flags) => join(key, commitment(key, nonce), flags, name.length, text(name));
  const readies = [ready('fox', fox, nonces[0], 0), ready('owl', owl, nonces[1], 1)];
  return {
    deal: deal.lobbyKey.equals(lobby) && deal.tableId.equals(counting(0xb0, 16)) && deal.race === 1 && deal.links === 8
      && deal.seats === 2 && deal.size === 3 && deal.target === 3 && deal.lead === 96 && deal.idle === 180_000,
    'deal.signature': isSigned(signed('deal'), lobby, 'deal', NO_CONTEXT),
    'deal.hash': dealHash,
    'fox.commitment': commitment(fox, nonces[0]),
    'fox.ready': readies[0],
    'fox.ready.signature': isSigned(signed('fox.ready'), fox, 'ready', dealHash),
    'owl.ready': readies[1],
    'owl.ready.signature': isSigned(signed('owl.ready'), owl, 'ready', dealHash),
    seats: readSeats(bytes('seats')).every(({ body }, seat) => body.equals(readies[seat])),
    'seats.signature': isSigned(signed('seats'), lobby, 'seats', dealHash),
    'seats.hash': seatsHash,
    mix,
    start: join(mix, 2, ...nonces, u64(1_000_000)),
    'start.signature': isSigned(signed('start'), lobby, 'start', readStart(bytes('start')).mix),
  };
}

function gameOfFox({ signed, fox, deal, mix, links, deck, tickSeen }) {
  const { directions, heads } = playFox(deal, deck, mix, fox);
  const drawBytes = ({ exponent, lot }) => join(exponent, Buffer.from(lot.toString(16).padStart(16, '0'), 'hex'));
  return {
    'link.8': links[8],
    'link.7': links[7],
    anchor: links[0],
    'key.1': deck.key(1),
    'draws.0-3': join(...[0, 1, 2, 3].map((d) => drawBytes(deck.draw(d)))),
    'fox.directions': Buffer.from(directions),
    'fox.head.0': heads[0],
    'fox.head.1': heads[1],
    'fox.head.2': heads[2],
    'fox.slice': join(u32(0), u64(tickSeen), 3, 0b00_01_00_00, 100, 100, 100),
    'fox.seal': join(0, u32(1), u32(3), heads[3], u64(tickSeen), 1, 0),
    'fox.seal.signature': isSigned(signed('fox.seal'), fox, 'seal', mix),
  };
}

function ticks({ signed, lobby, mix, tickSeen }) {
  const figures = (state, score, exponent, moves, usedUp, away) =>
    join(state, u32(score), exponent, u32(moves), usedUp, u64(away));
  const seats = join(2, figures(0, 12, 3, 3, 0, 0), figures(1, 4, 2, 2, 1, 2_000_000));
  return {
    tick: join(u64(tickSeen), u64(1_001_000), seats, 255),
    'tick.signature': isSigned(signed('tick'), lobby, 'tick', mix),
    'tick.with-offer': join(u64(tickSeen + 1), u64(1_001_500), seats, 1, 9, 0b10, u64(1_031_500)),
  };
}

function partsOfRecord({ bytes, signed, lobby, fox, mix }, verify) {
  const [forfeited, resigned] = [readEvent(bytes('event')), readEvent(bytes('event.with-seal'))];
  const seal = readSeal(resigned.seal.body);
  return {
    gap: readGap(bytes('gap')).from === 1_000 && readGap(bytes('gap')).to === 4_000,
    'gap.signature': isSigned(signed('gap'), lobby, 'gap', mix),
    event: forfeited.kind === 3 && forfeited.seat === 1 && forfeited.t === 61_000 && forfeited.seal === null,
    'event.with-seal': seal.number === 2 && seal.act === 7 && isSigned(resigned.seal, fox, 'seal', mix),
    'owl.log': bytes('record').includes(bytes('owl.log')),
    record: verify(bytes('record')).fault === '',
  };
}

/** The game of fox alone up to its seal, whose signature is taken from the vector: nobody else can make it. */
function gameAlone({ bytes, fox }, verify) {
  const seed = seedOf('spec');
  const opening = join(1, 3, 1, 3, 2, 0, seed, 4, text('spec'), u64(0), fox, 3, text('fox'));
  const game = new Game(3, new SoloDeck(seed));
  const entries = [];
  let before;
  while (game.maxExponent < 3) {
    before = { cells: Buffer.from(game.cells), score: game.score, moves: game.moves };
    const direction = [0, 1, 2, 3].find((each) => game.move(each));
    entries.push(1 + direction, game.moves === 1 ? 0 : 100); // the clock begins with the first move
  }
  entries.push(5, 100);
  Object.assign(game, before);
  entries.push(1 + [0, 1, 2, 3].find((each) => game.move(each)), 100);
  entries.push(7, 100, 6, 0xe8, 0x07);
  const unsealed = join(text('solo2048'), 1, u32(opening.length), opening, ...entries);
  const record = bytes('solo.record');
  const isRight = verify(record).fault === '';
  return { 'solo.record': isRight && join(unsealed, 9, record.subarray(-64)) };
}

function expectations(given, verify) {
  const race = makeRace(given);
  return {
    ...beforeARace(race), ...lobbyDocuments(race), ...gameOfFox(race), ...ticks(race), ...partsOfRecord(race, verify),
    ...gameAlone(race, verify),
  };
}

/** Prints every vector that is not as this code has it, and whether all are. */
export function checkVectors(path, verify) {
  const given = readVectors(path);
  const expected = expectations(given, verify);
  const isRight = (name) => {
    const value = expected[name];
    if (Buffer.isBuffer(value)) return value.toString('hex') === given[name];
    return value === true || value === given[name];
  };
  const names = new Set([...Object.keys(given), ...Object.keys(expected)]);
  const wrong = [...names].filter((name) => !isRight(name));
  for (const name of wrong) console.log(`wrong: ${name} = ${expected[name]?.toString('hex')}, not ${given[name]}`);
  console.log(`${names.size - wrong.length} of ${names.size} vectors are right`);
  return wrong.length === 0;
}
