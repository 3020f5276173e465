// A verifier of race2048 records, written from SPEC.md alone.
//
//   node verifier.mjs FILE...            one line of JSON a record: what it says, or the fault for which it is refused
//   node verifier.mjs --vectors SPEC.md  the vectors of the specification against this code

import { closeSync, openSync, readSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import {
  ACT, EVENT, Fault, KIND, MAX_RECORD, NO_CONTEXT, check, documentHash, hash, isSigned, isVote,
  readDeal, readGap, readReady, readRecord, readResult, readSeal, readSeats, readStart, u32,
} from './verifier/record.mjs';
import { Deck, Game, TERMINATION, endOfRace, gameAfter, linkBefore, shiftByGaps } from './verifier/race.mjs';
import { MAX_SOLO, isSolo, verifySolo } from './verifier/solo.mjs';

// ---- Step 2: what the lobby signed ----

/** Reads Deal, Seats, Start and Result, and returns them with what is made of them. */
function readLobbyDocuments(record) {
  const deal = readDeal(record.deal.body);
  const dealHash = documentHash('deal', record.deal);
  const requireLobby = (document, kind, context) =>
    check(isSigned(document, deal.lobbyKey, kind, context), 'lobby-signature');

  requireLobby(record.deal, 'deal', NO_CONTEXT);
  requireLobby(record.seats, 'seats', dealHash);
  const signedReadies = readSeats(record.seats.body);
  const start = readStart(record.start.body);
  requireLobby(record.start, 'start', start.mix);
  requireLobby(record.result, 'result', start.mix);
  const result = readResult(record.result.body);
  return { deal, dealHash, signedReadies, start, result, requireLobby };
}

// ---- Step 3: the deck ----

/** All links, L[0] to L[N], after the seed and the anchor are found to fit. */
function checkChain(deal, lastLink) {
  if (deal.seed) {
    check(lastLink.equals(deal.seed) && deal.chainId.equals(hash('chain', deal.seed).subarray(0, 16)), 'seed');
  }
  const links = Array(deal.links + 1);
  links[deal.links] = lastLink;
  for (let number = deal.links; number > 0; number--) {
    links[number - 1] = linkBefore(deal.chainId, number, links[number]);
  }
  check(links[0].equals(deal.anchor), 'anchor');
  return links;
}

// ---- Step 4: the seats ----

/** The keys in seat order, after everything that says who played is found to fit. */
function checkSeats(record, { deal, dealHash, signedReadies, start, result }) {
  const readies = signedReadies.map((signed) => {
    const ready = readReady(signed.body);
    check(isSigned(signed, ready.key, 'ready', dealHash), 'player-signature');
    return ready;
  });
  const count = readies.length;
  const keys = readies.map(({ key }) => key);
  check(count <= deal.seats, 'seats');
  check(new Set(keys.map((key) => key.toString('hex'))).size === count, 'seats');

  check(start.nonces.length === count, 'commitment');
  readies.forEach(({ key, commitment }, seat) =>
    check(hash('nonce', dealHash, key, start.nonces[seat]).equals(commitment), 'commitment'));
  const seatsHash = documentHash('seats', record.seats);
  check(hash('mix', dealHash, seatsHash, ...start.nonces).equals(start.mix), 'mix');

  check(record.logs.length === count && result.seats.length === count, 'seats');
  check(record.events.every(({ seat }) => seat < count), 'seats');
  return keys;
}

// ---- Step 5: the gaps ----

const MIN_GAP_MS = 2_000; // a gap is longer

function checkGaps(record, { start, requireLobby }) {
  let end = 0;
  return record.gaps.map((signed) => {
    requireLobby(signed, 'gap', start.mix);
    const gap = readGap(signed.body);
    check(gap.from >= end && gap.to - gap.from > MIN_GAP_MS, 'gap');
    end = gap.to;
    return gap;
  });
}

// ---- Step 6: times ----

/** t* of every move; corrections and the order of moves are checked on the way. */
function countTimes(log, events, claimAhead) {
  const times = [];
  let lastArrival = 0;
  let eventTime = 0; // of the seat's event before
  let nextEvent = 0;
  let nextCorrection = 0;
  log.claims.forEach((claimed, index) => {
    for (; nextEvent < events.length && events[nextEvent].moves <= index; nextEvent++) eventTime = events[nextEvent].t;
    const before = times.at(-1) ?? 0;
    let counted = claimed;
    if (log.corrections[nextCorrection]?.move === index + 1) {
      const { arrival, back } = log.corrections[nextCorrection++];
      counted = Math.max(before, eventTime, Math.min(Math.max(claimed, arrival - back), arrival));
      check(arrival >= Math.max(lastArrival, before, eventTime), 'times');
      check(claimed <= arrival + claimAhead && counted !== claimed, 'times');
      lastArrival = arrival;
    }
    check(counted >= before, 'times');
    times.push(counted);
  });
  return times;
}

function checkEventTimes(events, times) {
  let before = { moves: 0, t: 0 };
  for (const event of events) {
    check(event.moves >= before.moves && event.t >= before.t && event.moves <= times.length, 'times');
    check(event.t >= (times[event.moves - 1] ?? 0) && event.t <= (times[event.moves] ?? Infinity), 'times');
    before = event;
  }
}

function checkOutsideGaps(gaps, events, corrections) {
  const isInside = (t) => gaps.some(({ from, to }) => from < t && t < to);
  check(!events.some(({ t }) => isInside(t)), 'gap');
  check(!corrections.some(({ arrival }) => isInside(arrival)), 'gap');
}

// ---- Step 7: moves ----

/** Plays a log: the score after each move, and what must be known of the board on the way. */
function play(log, deal, deck, shift) {
  const { moves_per_s: rate, moves_burst: burst, bell_flush_ms: flush } = deal.windows;
  const cost = Math.floor(1_000 / rate);
  const target = deal.kind === KIND.target ? deal.target : Infinity;
  const game = new Game(deal.size, deck);
  const played = { scores: [0], targetAt: Infinity, stuckAt: game.isStuck ? 0 : Infinity, atOnce: [] };
  let full = 0;
  log.claims.forEach((claimed, index) => {
    full = Math.max(full, claimed) + cost;
    check(full <= claimed + cost * burst, 'pace');
    check(game.move(log.directions[index]), 'illegal');
    const makesTarget = played.targetAt === Infinity && game.maxExponent >= target;
    if (makesTarget) played.targetAt = game.moves;
    if (game.isStuck) played.stuckAt = game.moves;
    played.scores.push(game.score);
    played.atOnce.push(makesTarget || game.isStuck || claimed >= shift.bell - flush);
  });
  return played;
}

function checkBack(corrections, atOnce, { claim_back_ms: most, claim_batch_ms: batch }) {
  for (const { move, back } of corrections) check(back <= (atOnce[move - 1] ? most : most + batch), 'back');
}

// ---- Step 8: leaving ----

function checkLeaving({ events, times, stuckAt }, { away_ms: away, cancel_ms: cancel }) {
  let isAbsent = false;
  events.forEach(({ kind, t, moves }, index) => {
    const isForfeit = kind === EVENT.forfeited;
    if (isForfeit || kind === EVENT.resigned) {
      check(index === events.length - 1 && moves === times.length, 'leaving');
    }
    if (isForfeit || kind === EVENT.absent) {
      check(t >= (moves > 0 ? times[moves - 1] + away : away - cancel), 'leaving');
      check((moves >= stuckAt) === !isForfeit, 'leaving');
    }
    if (kind === EVENT.absent || kind === EVENT.returned) {
      check(isAbsent === (kind === EVENT.returned), 'leaving');
      isAbsent = !isAbsent;
    }
  });
}

// ---- Step 9: seals ----

function headsOf(log, mix, seat, key) {
  const heads = [hash('log', mix, Buffer.of(seat), key)];
  log.claims.forEach((claimed, index) =>
    heads.push(hash('move', heads[index], Buffer.of(log.directions[index]), u32(claimed))));
  return heads;
}

const isSameSeal = (a, b) => a.body.equals(b.body) && a.signature.equals(b.signature);

/** Reads a seat's seals in the order of the record, the LOG's last; each must be signed, fit the log and follow. */
class SealReader {
  constructor({ seat, key, heads, mix }) {
    Object.assign(this, { seat, key, heads, mix });
    this.before = { number: 0, moves: 0, tick: 0n };
    this.signedBefore = null;
  }

  read(signed, mayRepeat = false) {
    check(isSigned(signed, this.key, 'seal', this.mix), 'player-signature');
    const seal = readSeal(signed.body);
    check(seal.seat === this.seat, 'seal-seat');
    check(this.heads[seal.moves]?.equals(seal.head), 'seal-head');
    const repeats = mayRepeat && this.signedBefore !== null && isSameSeal(signed, this.signedBefore);
    const { number, moves, tick } = this.before;
    check(repeats || (seal.number > number && seal.moves >= moves && seal.tick >= tick), 'seal-order');
    this.before = seal;
    this.signedBefore = signed;
    return seal;
  }
}

const SEALED_EVENTS = [EVENT.vote, EVENT.resigned, EVENT.said];

/** The seat's events with their seals read, and the seal of its LOG, or null. */
function checkSeals(log, events, sealReader) {
  const sealedEvents = events.map((event) => {
    check((event.seal !== null) === SEALED_EVENTS.includes(event.kind), 'seal-presence');
    if (event.seal === null) {
      check(event.tick === 0n, 'seal-act');
      return event;
    }
    const seal = sealReader.read(event.seal);
    const saysIt = event.kind === EVENT.resigned ? seal.act === ACT.resign : isVote(seal.act);
    check(saysIt && seal.moves === event.moves, 'seal-act');
    const isOffer = event.kind === EVENT.vote && seal.act === ACT.offer;
    check(event.tick === 0n || (isOffer && event.tick > seal.tick), 'seal-act');
    return { ...event, seal };
  });
  return { sealedEvents, lastSeal: log.seal && sealReader.read(log.seal, true) };
}

/** How many moves come after the LOG's seal; they may not take too long. */
function checkUnsealed(claims, sealedMoves, { unsealed_ms: most }) {
  const unsealed = claims.length - sealedMoves;
  if (unsealed > 0) check(claims.at(-1) - claims[sealedMoves] <= most, 'unsealed');
  return unsealed;
}

// ---- Steps 6 to 9 of one seat ----

function checkPlayer(seat, record, race) {
  const { deal, start, keys, deck, gaps, shift } = race;
  const { windows } = deal;
  const log = record.logs[seat];
  const events = record.events.filter((event) => event.seat === seat);

  const times = countTimes(log, events, windows.claim_ahead_ms);
  checkEventTimes(events, times);
  checkOutsideGaps(gaps, events, log.corrections);
  const played = play(log, deal, deck, shift);
  checkBack(log.corrections, played.atOnce, windows);
  checkLeaving({ events, times, stuckAt: played.stuckAt }, windows);

  const heads = headsOf(log, start.mix, seat, keys[seat]);
  const sealReader = new SealReader({ seat, key: keys[seat], heads, mix: start.mix });
  const { sealedEvents, lastSeal } = checkSeals(log, events, sealReader);
  const sealedMoves = lastSeal?.moves ?? 0;
  const unsealed = checkUnsealed(log.claims, sealedMoves, windows);
  return { ...played, seat, times, events: sealedEvents, sealedMoves, unsealed, directions: log.directions };
}

// ---- Step 10: offers that were seen ----

/** Whoever agrees to an announced offer has seen the tick that announced it. */
function checkSeenOffers(recordEvents, players) {
  const rest = players.map(({ events }) => [...events]);
  const offerTicks = new Map();
  for (const { seat } of recordEvents) {
    const { kind, tick, seal } = rest[seat].shift(); // the same event, with its seal read
    if (kind !== EVENT.vote) continue;
    if (seal.act === ACT.offer) offerTicks.set(seal.argument, tick);
    if (seal.act === ACT.agree) check(seal.tick >= (offerTicks.get(seal.argument) ?? 0n), 'unseen-offer');
  }
}

// ---- Steps 11 and 12: the outcome ----

function figuresOf(player, { state, score, moves }, { deal, deck }) {
  const game = gameAfter(deal.size, deck, player.directions, moves);
  const board = game.cells.toString('hex');
  return { state, score, max_exponent: game.maxExponent, moves, unsealed: player.unsealed, board };
}

function checkResult(result, ended, seats, players) {
  const winnerBits = ended.winners.reduce((bits, seat) => bits | (1 << seat), 0);
  const isSameOutcome = result.termination === ended.termination && result.winners === winnerBits;
  check(isSameOutcome && result.t === ended.t, 'outcome');
  const figures = ['state', 'score', 'max_exponent', 'moves', 'unsealed'];
  seats.forEach((own, seat) =>
    check(figures.every((figure) => own[figure] === result.seats[seat][figure]), 'figures'));
  if (ended.termination !== TERMINATION.target) return;
  check(ended.winners.every((seat) => players[seat].sealedMoves >= players[seat].targetAt), 'target-unsealed');
}

/** What of a true record rests on the lobby's word. */
function trustsOf(record, deal, seats) {
  const hasEvent = (...kinds) => record.events.some(({ kind }) => kinds.includes(kind));
  const trusts = {
    times: true,
    logs: true,
    corrections: record.logs.some(({ corrections }) => corrections.length > 0),
    absences: hasEvent(EVENT.forfeited, EVENT.absent, EVENT.returned),
    votes: hasEvent(EVENT.vote, EVENT.said),
    unsealed: seats.some(({ unsealed }) => unsealed > 0),
    gaps: record.gaps.length > 0,
    seeded: deal.seed !== null,
  };
  return Object.keys(trusts).filter((name) => trusts[name]);
}

// ---- All steps ----

function verifySteps(bytes) {
  const record = readRecord(bytes);
  const documents = readLobbyDocuments(record);
  const { deal, start, result } = documents;
  const links = checkChain(deal, record.lastLink);
  const keys = checkSeats(record, documents);
  const gaps = checkGaps(record, documents);
  const race = { deal, start, keys, gaps, deck: new Deck(deal, start.mix, links), shift: shiftByGaps(deal, gaps) };

  const players = keys.map((_, seat) => checkPlayer(seat, record, race));
  checkSeenOffers(record.events, players);
  const ended = endOfRace(deal, race.shift, players);
  check(ended !== null, 'not-over');
  const seats = players.map((player, seat) => figuresOf(player, ended.seats[seat], race));
  checkResult(result, ended, seats, players);

  const { termination, winners, t } = ended;
  return { fault: '', termination, winners, t_ms: t, trusts: trustsOf(record, deal, seats), seats };
}

/** What a verifier finds in the bytes of a record of a race or of a game alone, whatever they are. */
export function verify(bytes) {
  try {
    return isSolo(bytes) ? verifySolo(bytes) : verifySteps(bytes);
  } catch (error) {
    if (error instanceof Fault) return { fault: error.code };
    throw error;
  }
}

/** The bytes of a file; no more than one too many, whatever the file is. */
function readFile(path) {
  const file = openSync(path, 'r');
  const bytes = Buffer.allocUnsafe(Math.max(MAX_RECORD, MAX_SOLO) + 1);
  let length = 0;
  for (let read = 1; read > 0 && length < bytes.length; length += read) {
    read = readSync(file, bytes, length, bytes.length - length);
  }
  closeSync(file);
  return bytes.subarray(0, length);
}

async function main([first, ...rest]) {
  if (first === '--vectors') {
    const { checkVectors } = await import('./verifier/vectors.mjs');
    process.exitCode = checkVectors(rest[0], verify) ? 0 : 1;
  } else if (first === undefined) {
    console.error('usage: node verifier.mjs FILE... | --vectors SPEC.md');
    process.exitCode = 2;
  } else {
    for (const path of [first, ...rest]) console.log(JSON.stringify(verify(readFile(path))));
  }
}

if (process.argv[1] && import.meta.url === pathToFileURL(process.argv[1]).href) await main(process.argv.slice(2));
