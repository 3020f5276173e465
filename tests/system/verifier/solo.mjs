// The verifier of a game alone, in the words of SPEC.md, "Games alone".

import { isUtf8 } from 'node:buffer';
import { Deck, Game, linkBefore } from './race.mjs';
import { NO_CONTEXT, check, hash, isSigned, readAll, sha256, u32 } from './record.mjs';

const HEAD = Buffer.from('solo2048');
export const MAX_SOLO = 16_777_216;

export const isSolo = (bytes) => bytes.subarray(0, HEAD.length).equals(HEAD);

// ---- The opening ----

const KIND = { classic: 1, endless: 2 };
const ORIGIN = { chance: 1, text: 2, daily: 3, ghost: 4 };
const SORT = { solo: 0, race: 1 };
const MAX_OPENING = 1_024;

const readText = (reader) => {
  const bytes = reader.take(reader.u8());
  reader.require(isUtf8(bytes));
  return bytes.toString();
};

const readDeck = (reader) =>
  reader.u8In(SORT.solo, SORT.race) === SORT.solo
    ? { sort: SORT.solo, seed: reader.take(32) }
    : { sort: SORT.race, chainId: reader.take(16), links: reader.u32(), lastLink: reader.take(32), mix: reader.take(32) };

const isDaily = (text, size) => new RegExp(`^daily/\\d{4}-\\d{2}-\\d{2}/${size}$`).test(text);

/** The seed that a text makes. */
export function seedOf(text) {
  const bytes = Buffer.from(text.normalize('NFC'));
  return hash('text', u32(bytes.length), bytes);
}

function isOpeningSound({ rules, size, kind, target, origin, deck, text }) {
  const isNamed = origin === ORIGIN.text || origin === ORIGIN.daily;
  return rules === 1 && [3, 4, 5, 6, 8].includes(size)
    && (kind === KIND.classic ? target >= 3 && target <= size * size + 1 : target === 0)
    && (deck.sort === SORT.solo || (origin === ORIGIN.ghost && deck.links >= 1 && deck.links <= 16_384))
    && (isNamed ? deck.seed.equals(seedOf(text)) : text === '')
    && (origin !== ORIGIN.daily || isDaily(text, size));
}

export const readOpening = (bytes) =>
  readAll(bytes, 'layout', (reader) => {
    const opening = {
      rules: reader.u8(), size: reader.u8(), kind: reader.u8In(KIND.classic, KIND.endless), target: reader.u8(),
      origin: reader.u8In(ORIGIN.chance, ORIGIN.ghost), deck: readDeck(reader), text: readText(reader),
      began: reader.u64(), key: reader.take(32), name: readText(reader),
    };
    reader.require(isOpeningSound(opening));
    return opening;
  });

// ---- The entries ----

const CODE = { lastMove: 4, undo: 5, leftOff: 6, goesOn: 7, ended: 8, seal: 9 };

/** All entries: a code, and the moment by the clock, or of a seal its signature and what it signs. */
function readEntries(bytes, reader, start) {
  const entries = [];
  let t = 0;
  while (reader.left > 0) {
    const end = start + reader.offset;
    const code = reader.u8In(1, CODE.seal);
    if (code === CODE.seal) {
      entries.push({ code, end, signature: reader.take(64) });
    } else {
      t += reader.varint();
      reader.require(t < 2 ** 32);
      entries.push({ code, t });
    }
  }
  return entries;
}

function readSolo(bytes) {
  check(bytes.length <= MAX_SOLO && isSolo(bytes), 'not-a-record');
  check(bytes.length > HEAD.length, 'layout');
  check(bytes[HEAD.length] === 1, 'version');
  const start = HEAD.length + 1;
  return readAll(bytes.subarray(start), 'layout', (reader) => {
    const length = reader.u32();
    reader.require(length <= MAX_OPENING);
    const opening = readOpening(reader.take(length));
    return { opening, entries: readEntries(bytes, reader, start) };
  });
}

// ---- The deck ----

export class SoloDeck extends Deck {
  constructor(seed) {
    super({ links: Infinity }, seed, []);
  }

  makeKey(number) {
    return hash('solo', this.salt, u32(number));
  }
}

function deckOf({ sort, seed, chainId, links, lastLink, mix }) {
  if (sort === SORT.solo) return new SoloDeck(seed);
  const chain = [lastLink];
  for (let number = links; number > 0; number--) chain.push(linkBefore(chainId, number, chain.at(-1)));
  return new Deck({ links }, mix, chain.reverse());
}

// ---- What is done ----

const MOST_BACK = 5;

/** One game alone while its entries are done. */
class SoloGame {
  constructor({ size, kind, target, origin, deck }) {
    this.game = new Game(size, deckOf(deck));
    this.target = kind === KIND.classic ? target : Infinity;
    this.mayUndo = origin !== ORIGIN.ghost;
    this.back = [];
    this.undos = 0;
    this.t = 0; // of the last entry that has a time
    this.made = null; // when a board had the target for the first time
    this.hasGoneOn = false;
    this.hasEnded = false;
  }

  /** Does what an entry says, and returns whether it can be done. */
  do({ code, t }) {
    if (code === CODE.seal) return true;
    if (this.hasEnded) return false;
    this.t = t;
    if (code <= CODE.lastMove) return this.move(code - 1);
    if (code === CODE.undo) return this.undo();
    if (code === CODE.goesOn) return this.goOn();
    this.hasEnded = code === CODE.ended;
    return true;
  }

  move(direction) {
    const { cells, score, moves } = this.game;
    this.back.push({ cells: Buffer.from(cells), score, moves });
    if (this.back.length > MOST_BACK) this.back.shift();
    if (!this.game.move(direction)) return false;
    if (this.game.maxExponent >= this.target) {
      this.made ??= { t_ms: this.t, moves: this.game.moves, undos: this.undos };
    }
    return true;
  }

  undo() {
    if (!this.mayUndo || this.back.length === 0) return false;
    Object.assign(this.game, this.back.pop());
    this.undos += 1;
    return true;
  }

  goOn() {
    if (this.hasGoneOn || this.made === null) return false;
    this.hasGoneOn = true;
    return true;
  }
}

// ---- All steps ----

function isSealed(bytes, { signature, end }, key) {
  return isSigned({ body: sha256(bytes.subarray(0, end)), signature }, key, 'solo', NO_CONTEXT);
}

/** What a verifier finds in the bytes of a game alone; a Fault is thrown if it is refused. */
export function verifySolo(bytes) {
  const { opening, entries } = readSolo(bytes);
  const played = new SoloGame(opening);
  for (const entry of entries) check(played.do(entry), 'act');
  const lastSeal = entries.findLastIndex(({ code }) => code === CODE.seal);
  if (lastSeal >= 0) check(isSealed(bytes, entries[lastSeal], opening.key), 'seal');

  const { size, kind, target, origin } = opening;
  const { game, t, undos, made, hasGoneOn, hasEnded } = played;
  return {
    fault: '', size, kind, target, origin, t_ms: t,
    score: game.score, max_exponent: game.maxExponent, moves: game.moves, undos, made,
    goes_on: hasGoneOn, stuck: game.isStuck, ended: hasEnded,
    unsealed: entries.length - lastSeal - 1, board: game.cells.toString('hex'),
  };
}
