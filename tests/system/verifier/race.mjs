// The deck, the board, and how a race has ended, in the words of SPEC.md.

import { ACT, EVENT, KIND, hash, sha256, u32 } from './record.mjs';

// ---- Deck and links ----

const FOURS_BELOW = 1_844_674_407_370_955_162n; // a tenth of 2^64
const DRAWS_A_LINK = 8;

export const linkBefore = (chainId, number, link) => hash('link', chainId, u32(number), link);

/** The draws of one race, the same for every seat, each made when it is first asked for. */
export class Deck {
  #draws = [];
  #keys = [];

  constructor(deal, mix, links) {
    this.salt = deal.seed ?? mix;
    this.links = links;
    this.lastMove = DRAWS_A_LINK * deal.links - 2;
  }

  key(number) {
    this.#keys[number] ??= this.makeKey(number);
    return this.#keys[number];
  }

  makeKey(number) {
    return hash('draw', this.salt, u32(number), this.links[number]);
  }

  /** The exponent of draw d, and the lot that says to which of the empty cells it goes. */
  draw(d) {
    if (this.#draws[d] === undefined) {
      const digest = sha256(this.key(1 + Math.floor(d / DRAWS_A_LINK)), u32(d));
      const exponent = digest.readBigUInt64BE(0) < FOURS_BELOW ? 2 : 1;
      this.#draws[d] = { exponent, lot: digest.readBigUInt64BE(8) };
    }
    return this.#draws[d];
  }
}

// ---- Boards ----

/** The cells of every line along a direction (up, right, down, left), from the edge pushed to. */
function linesOf(size) {
  const numbers = [...Array(size).keys()];
  const rows = numbers.map((row) => numbers.map((column) => row * size + column));
  const columns = numbers.map((column) => numbers.map((row) => row * size + column));
  const reversed = (lines) => lines.map((line) => line.toReversed());
  return [columns, reversed(rows), reversed(columns), rows];
}

/** One seat's game: the board after its moves so far. */
export class Game {
  constructor(size, deck) {
    this.size = size;
    this.deck = deck;
    this.lines = linesOf(size);
    this.cells = Buffer.alloc(size * size);
    this.score = 0;
    this.moves = 0;
    this.#deal(0);
    this.#deal(1);
  }

  get maxExponent() {
    return Math.max(...this.cells);
  }

  get isStuck() {
    if (this.moves >= this.deck.lastMove) return true;
    if (this.cells.includes(0)) return false;
    const hasPair = (line) => line.some((cell, at) => at > 0 && this.cells[cell] === this.cells[line[at - 1]]);
    return ![...this.lines[0], ...this.lines[3]].some(hasPair);
  }

  /** Makes a move and deals the next draw; false, and nothing done, if the move is not legal. */
  move(direction) {
    if (this.isStuck) return false;
    const before = Buffer.from(this.cells);
    for (const line of this.lines[direction]) this.#slide(line);
    if (before.equals(this.cells)) return false;
    this.moves += 1;
    this.#deal(this.moves + 1);
    return true;
  }

  #slide(line) {
    const tiles = [];
    let mayMerge = false; // the last of the tiles may, unless it came of a merge
    for (const cell of line) {
      const exponent = this.cells[cell];
      if (exponent === 0) continue;
      mayMerge = mayMerge && tiles.at(-1) === exponent;
      if (mayMerge) {
        tiles[tiles.length - 1] = exponent + 1;
        this.score += 2 ** (exponent + 1);
        mayMerge = false;
      } else {
        tiles.push(exponent);
        mayMerge = true;
      }
    }
    line.forEach((cell, at) => (this.cells[cell] = tiles[at] ?? 0));
  }

  #deal(d) {
    const { exponent, lot } = this.deck.draw(d);
    const empty = [...this.cells.keys()].filter((cell) => this.cells[cell] === 0);
    this.cells[empty[Number((lot * BigInt(empty.length)) >> 64n)]] = exponent;
  }
}

/** The game of a seat after so many of its moves, which are known to be legal. */
export function gameAfter(size, deck, directions, moves) {
  const game = new Game(size, deck);
  for (const direction of directions.subarray(0, moves)) game.move(direction);
  return game;
}

// ---- Gaps ----

const MAX_GAPS_MS = 600_000;

/** What gaps move: the bell (of a timed race, else never), the lapse of offers, and the gap that is one too many. */
export function shiftByGaps(deal, gaps) {
  let bell = deal.kind === KIND.timed ? deal.time : Infinity;
  let total = 0;
  let tooMany = null;
  for (const gap of gaps) {
    const length = gap.to - gap.from;
    if (gap.from < bell) bell += length;
    total += length;
    if (total > MAX_GAPS_MS) tooMany ??= gap;
  }
  return { bell, tooMany, lapse: deal.windows.offer_lapse_ms + total };
}

// ---- How a race has ended ----

const STATE = { moving: 0, stuck: 1, resigned: 2, forfeited: 3 };
export const TERMINATION = { alone: 1, target: 2, lastMover: 3, allStuck: 4, bell: 5, draw: 8, void: 15 };

/** The moves (without an event) and events of one seat, in the order of its log. */
function seatTimeline({ seat, times, events }) {
  const items = [];
  let next = 0;
  for (let moves = 0; moves <= times.length; moves++) {
    if (moves > 0) items.push({ seat, t: times[moves - 1], event: null });
    for (; next < events.length && events[next].moves === moves; next++) {
      items.push({ seat, t: events[next].t, event: events[next] });
    }
  }
  return items;
}

/** All of a race in the order of t*; the sort is stable, so that each seat's own order stays. */
const timeline = (players) => players.flatMap(seatTimeline).sort((a, b) => a.t - b.t || a.seat - b.seat);

/**
 * A race while its moves and events are applied. Of a player it takes: seat, times (t* of the moves), events, scores
 * (after no move, after one, …), targetAt and stuckAt (after how many moves; Infinity if never).
 */
class Race {
  constructor(deal, shift, players) {
    this.deal = deal;
    this.windows = deal.windows;
    this.shift = shift;
    this.players = players;
    this.offer = null;
    this.seats = players.map(({ seat }) => ({
      seat, state: STATE.moving, moves: 0, score: 0, absent: false, offersUsed: 0, mayOfferFrom: 0,
    }));
  }

  // -- Applying --

  apply({ seat, t, event }) {
    if (this.offer && t >= this.offer.lapses) this.dropOffer(this.offer.lapses);
    const own = this.seats[seat];
    if (event === null) this.applyMove(own, t);
    else if (event.kind === EVENT.resigned) this.applyLeaving(own, STATE.resigned, t);
    else if (event.kind === EVENT.forfeited) this.applyLeaving(own, STATE.forfeited, t);
    else if (event.kind === EVENT.absent) own.absent = true;
    else if (event.kind === EVENT.returned) own.absent = false;
    else if (event.kind === EVENT.vote && isInRace(own)) this.applyVote(own, event);
  }

  applyMove(own, t) {
    if (own.state !== STATE.moving) return;
    own.moves += 1;
    own.score = this.players[own.seat].scores[own.moves];
    if (own.moves >= this.players[own.seat].stuckAt) own.state = STATE.stuck;
    // An offer with a tick was announced; this seat moved before it saw it, or the offer would not be in the record.
    if (this.offer && this.offer.tick === 0n && !this.offer.agreed.has(own.seat)) this.dropOffer(t);
  }

  applyLeaving(own, state, t) {
    if (isInRace(own)) own.state = state;
    if (this.offer?.seat === own.seat) this.dropOffer(t);
  }

  applyVote(own, { t, tick, seal: { act, argument } }) {
    if (act === ACT.offer) {
      if (this.mayOffer(own, t, argument - 8 * own.seat)) this.takeOffer(own, t, tick, argument);
    } else if (this.offer?.number === argument) {
      if (act === ACT.withdraw && this.offer.seat === own.seat) this.dropOffer(t);
      if (act === ACT.withdraw || this.offer?.agreed.has(own.seat)) return;
      if (act === ACT.agree) this.offer.agreed.add(own.seat);
      else this.dropOffer(t);
    }
  }

  mayOffer(own, t, count) {
    const { offers_max: most } = this.windows;
    return this.offer === null && own.offersUsed < most && t >= own.mayOfferFrom
      && count > own.offersUsed && count <= most;
  }

  takeOffer(own, t, tick, number) {
    own.offersUsed = number - 8 * own.seat;
    this.offer = { seat: own.seat, number, tick, lapses: t + this.shift.lapse, agreed: new Set([own.seat]) };
  }

  dropOffer(t) {
    this.seats[this.offer.seat].mayOfferFrom = t + this.windows.offer_wait_ms;
    this.offer = null;
  }

  // -- The clauses --

  /** The first clause that holds after all of the millisecond t is applied, or null. */
  end(t) {
    const inRace = this.seats.filter(isInRace);
    const moving = inRace.filter((own) => own.state === STATE.moving);
    const ended = (termination, winners) => ({ termination, winners: winners.map((own) => own.seat), t });

    const made = this.seats.filter((own) => own.moves >= this.players[own.seat].targetAt);
    if (made.length > 0) return ended(TERMINATION.target, this.fewestMovesAtTarget(made));
    if (this.isDrawAgreed(inRace)) return ended(TERMINATION.draw, inRace);
    if (inRace.length === 1) return ended(TERMINATION.alone, inRace);
    if (inRace.length === 0) return ended(TERMINATION.void, []);
    const [last] = moving;
    const isAhead = (other) => other === last || last.score > other.score;
    if (moving.length === 1 && inRace.every(isAhead)) return ended(TERMINATION.lastMover, moving);
    if (moving.length === 0) return ended(TERMINATION.allStuck, highestScores(inRace));
    if (t >= this.shift.bell) return ended(TERMINATION.bell, highestScores(inRace));
    return null;
  }

  fewestMovesAtTarget(made) {
    const movesOf = (own) => this.players[own.seat].targetAt;
    const fewest = Math.min(...made.map(movesOf));
    return made.filter((own) => movesOf(own) === fewest);
  }

  isDrawAgreed(inRace) {
    if (this.offer === null) return false;
    const { agreed } = this.offer;
    const hasAgreed = (own) => agreed.has(own.seat);
    return inRace.filter(hasAgreed).length >= 2 && inRace.every((own) => hasAgreed(own) || own.absent);
  }

  // -- From the start to the end --

  /** Applies all that counts, and returns how the race has ended, or null. */
  run() {
    const { bell, tooMany } = this.shift;
    const last = Math.min(bell, tooMany?.from ?? Infinity); // what comes later does not count
    const items = timeline(this.players).filter(({ t }) => t <= last);
    for (let next = 0; next < items.length; ) {
      const { t } = items[next];
      while (next < items.length && items[next].t === t) this.apply(items[next++]);
      const ended = this.end(t);
      if (ended) return ended;
    }
    if (bell !== Infinity && bell <= last) return this.end(bell);
    if (tooMany) return { termination: TERMINATION.void, winners: [], t: tooMany.to };
    return null;
  }
}

const isInRace = (own) => own.state === STATE.moving || own.state === STATE.stuck;

function highestScores(inRace) {
  const highest = Math.max(...inRace.map((own) => own.score));
  return inRace.filter((own) => own.score === highest);
}

/** How a race has ended: termination, winners, t, and state, score and moves of the seats; or null, if it has not. */
export function endOfRace(deal, shift, players) {
  const race = new Race(deal, shift, players);
  const ended = race.run();
  return ended && { ...ended, seats: race.seats };
}
