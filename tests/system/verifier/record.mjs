// What a record is made of: bytes, hashes, signatures and layouts, in the words of SPEC.md.

import { isUtf8 } from 'node:buffer';
import { createHash, createPublicKey, verify as verifyEd25519 } from 'node:crypto';

/** The one exception of this verifier: a record is refused, and `code` says why. */
export class Fault extends Error {
  constructor(code) {
    super(code);
    this.code = code;
  }
}

export function check(holds, code) {
  if (!holds) throw new Fault(code);
}

// ---- Hashes ----

export const sha256 = (...parts) => createHash('sha256').update(Buffer.concat(parts)).digest();

/** H(tag, a, b, …); the caller sees to it that every part has a fixed length or is preceded by it. */
export const hash = (tag, ...parts) => sha256(Buffer.from(`race2048/1/${tag}\0`), ...parts);

export function u32(number) {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

/** The hash of a signed document, as the Deal and the Seats have one. */
export const documentHash = (tag, { body, signature }) => hash(tag, u32(body.length), body, signature);

// ---- Signatures ----

const FIELD_PRIME = 2n ** 255n - 19n;
const GROUP_ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;
const CURVE_D = 37095705934669439343138083508754565189542113879843219016388785533085940283555n;
const SPKI_HEAD = Buffer.from('302a300506032b6570032100', 'hex'); // what X.509 puts before a raw Ed25519 key
export const NO_CONTEXT = Buffer.alloc(32);

const littleEndian = (bytes) => BigInt(`0x${Buffer.from(bytes).reverse().toString('hex')}`);

/**
 * Whether a key is canonical and not of small order. The points of order 1, 2 and 4 have y = 1, −1 and 0. Those of
 * order 8 double to one with y = 0, so x² = −y²; put into the curve −x² + y² = 1 + d·x²·y² this is d·y⁴ + 2y² = 1.
 */
function isSoundKey(key) {
  const y = littleEndian(key) & (2n ** 255n - 1n);
  if (y >= FIELD_PRIME || y <= 1n || y === FIELD_PRIME - 1n) return false;
  const square = (y * y) % FIELD_PRIME;
  return (CURVE_D * square * square + 2n * square - 1n) % FIELD_PRIME !== 0n;
}

export function isSigned({ body, signature }, key, kind, context) {
  if (littleEndian(signature.subarray(32)) >= GROUP_ORDER || !isSoundKey(key)) return false;
  const publicKey = createPublicKey({ key: Buffer.concat([SPKI_HEAD, key]), format: 'der', type: 'spki' });
  const message = Buffer.concat([Buffer.from(`race2048/1/sig/${kind}\0`), context, body]);
  return verifyEd25519(null, message, publicKey, signature);
}

// ---- Reading bytes ----

/** Reads a layout from bytes; whatever is not as the layout says is the fault the reader was made with. */
class Reader {
  constructor(bytes, fault) {
    this.bytes = bytes;
    this.offset = 0;
    this.fault = fault;
  }

  require(holds) {
    check(holds, this.fault);
  }

  get left() {
    return this.bytes.length - this.offset;
  }

  take(length) {
    this.require(length <= this.left);
    this.offset += length;
    return this.bytes.subarray(this.offset - length, this.offset);
  }

  u8 = () => this.take(1)[0];
  u32 = () => this.take(4).readUInt32BE();
  u64 = () => this.take(8).readBigUInt64BE();

  /** A u8 that is from least to most. */
  u8In(least, most) {
    const value = this.u8();
    this.require(value >= least && value <= most);
    return value;
  }

  varint() {
    let value = 0;
    for (let scale = 1; scale <= 2 ** 28; scale *= 2 ** 7) {
      const byte = this.u8();
      value += (byte & 0x7f) * scale;
      if (byte >= 0x80) continue;
      this.require(value < 2 ** 32 && (byte !== 0 || scale === 1));
      return value;
    }
    throw new Fault(this.fault);
  }

  /** A number that may be negative: even ones are its halves, odd ones one below the halves, negated. */
  zigzag() {
    const value = this.varint();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }

  directions(count) {
    const packed = this.take(Math.ceil(count / 4));
    const at = (index) => (packed[index >> 2] >> (6 - 2 * (index & 3))) & 3;
    for (let unused = count; unused < 4 * packed.length; unused++) this.require(at(unused) === 0);
    return Uint8Array.from({ length: count }, (_, index) => at(index));
  }

  /** What is left: a body and its signature. */
  signed() {
    this.require(this.left >= 64);
    return { body: this.take(this.left - 64), signature: this.take(64) };
  }

  /** A SEAL: null, or a Seal that is not looked into yet, and its signature. */
  seal() {
    return this.u8In(0, 1) === 0 ? null : { body: this.take(51), signature: this.take(64) };
  }

  end() {
    this.require(this.left === 0);
  }
}

/** Reads all of the bytes, to the last of them, by a function that takes the fields from a reader. */
export function readAll(bytes, fault, fields) {
  const reader = new Reader(bytes, fault);
  const value = fields(reader);
  reader.end();
  return value;
}

const times = (count, read) => Array.from({ length: count }, () => read());

// ---- The file and its sections ----

const MAGIC = Buffer.from('race2048');
export const MAX_RECORD = 4_194_304;

// The least and the most sections of each type. How many seats there are is signed, so that the number of the logs is
// looked at only after the Seats are read.
const ANY = [0, Infinity];
const SECTIONS = { 1: [1, 1], 2: [1, 1], 3: [1, 1], 4: ANY, 5: [0, 1024], 6: [0, 1024], 7: [1, 1], 8: [1, 1] };

function readHead(bytes) {
  const short = bytes.length <= MAGIC.length && MAGIC.subarray(0, bytes.length).equals(bytes);
  check(!short, 'layout');
  check(bytes.length <= MAX_RECORD && bytes.subarray(0, MAGIC.length).equals(MAGIC), 'not-a-record');
  check(bytes[MAGIC.length] === 1, 'version');
}

/** The contents of the sections by type, and where the RESULT begins. */
function readSections(bytes) {
  const reader = new Reader(bytes, 'layout');
  reader.take(MAGIC.length + 1);
  const sections = Object.fromEntries(Object.keys(SECTIONS).map((type) => [type, []]));
  let resultAt = 0;
  for (let type = 1; reader.left > 0; ) {
    resultAt = reader.offset;
    type = reader.u8In(type, 8);
    sections[type].push(reader.take(reader.u32()));
  }
  for (const [type, [least, most]] of Object.entries(SECTIONS)) {
    reader.require(sections[type].length >= least && sections[type].length <= most);
  }
  reader.require(sections[8][0].length >= 96);
  return { sections, resultAt };
}

/** Step 1: all sections of a record, without a look into what is signed. */
export function readRecord(bytes) {
  readHead(bytes);
  const { sections, resultAt } = readSections(bytes);
  check(sections[8][0].subarray(0, 32).equals(sha256(bytes.subarray(0, resultAt))), 'digest');
  const signed = (section) => readAll(section, 'layout', (reader) => reader.signed());
  return {
    deal: signed(sections[1][0]),
    seats: signed(sections[2][0]),
    start: signed(sections[3][0]),
    logs: sections[4].map(readLog),
    events: sections[5].map(readEvent),
    gaps: sections[6].map(signed),
    lastLink: readAll(sections[7][0], 'layout', (reader) => reader.take(32)),
    result: signed(sections[8][0]),
  };
}

const readLog = (bytes) =>
  readAll(bytes, 'layout', (reader) => {
    const moves = reader.u32();
    const directions = reader.directions(moves);
    let claimed = 0;
    const readTime = () => {
      claimed += reader.varint();
      reader.require(claimed < 2 ** 32);
      return claimed;
    };
    const claims = times(moves, readTime);
    return { directions, claims, corrections: readCorrections(reader, moves), seal: reader.seal() };
  });

function readCorrections(reader, moves) {
  const corrections = [];
  let last = { move: 0, arrival: 0, back: 0 };
  for (let count = reader.u32(); count > 0; count--) {
    const step = reader.varint();
    const next = { move: last.move + step, arrival: last.arrival + reader.varint(), back: last.back + reader.zigzag() };
    reader.require(step > 0 && next.move <= moves && next.arrival < 2 ** 32 && next.back >= 0 && next.back < 2 ** 16);
    corrections.push(next);
    last = next;
  }
  return corrections;
}

export const EVENT = { vote: 1, resigned: 2, forfeited: 3, absent: 4, returned: 5, said: 6 };

export const readEvent = (bytes) =>
  readAll(bytes, 'layout', (reader) => ({
    kind: reader.u8In(1, 6),
    seat: reader.u8(),
    t: reader.u32(),
    tick: reader.u64(),
    moves: reader.u32(),
    seal: reader.seal(),
  }));

// ---- Signed bodies ----

export const KIND = { target: 1, timed: 2, endless: 3 };

const WINDOWS = [
  'countdown_ms', 'cancel_ms', 'nonce_ms', 'silent_ms', 'away_ms', 'idle_warning_ms', 'offer_lapse_ms',
  'offer_wait_ms', 'offers_max', 'settle_ms', 'bell_flush_ms', 'closing_ms', 'claim_back_ms', 'claim_spare_ms',
  'claim_batch_ms', 'claim_ahead_ms', 'unsealed_ms', 'resync_ms', 'moves_per_s', 'moves_burst',
];

const isWithin = (value, least, most) => value >= least && value <= most;

function isDealSound(deal) {
  const { kind, size, target, time, lead, idle, windows } = deal;
  return deal.version === 1 && deal.rules === 1 && isWithin(deal.links, 1, 16_384)
    && isWithin(deal.seats, 2, 4) && [3, 4, 5, 6, 8].includes(size) && isWithin(kind, 1, 3)
    && (kind === KIND.target ? isWithin(target, 3, size * size + 1) : target === 0)
    && (kind === KIND.timed ? isWithin(time, 5_000, 3_600_000) : time === 0)
    && isWithin(lead, 8, 1_024) && (idle === 0 || (kind !== KIND.timed && isWithin(idle, 1_000, 3_600_000)))
    && windows.offers_max <= 7 && isWithin(windows.moves_per_s, 1, 1_000);
}

export const readDeal = (bytes) =>
  readAll(bytes, 'unreadable', (reader) => {
    const { u8, u32 } = reader;
    const deal = {
      version: u8(), rules: u8(), lobbyKey: reader.take(32), tableId: reader.take(16), race: u32(),
      chainId: reader.take(16), anchor: reader.take(32), links: u32(),
      seats: u8(), size: u8(), kind: u8(), target: u8(), time: u32(), lead: u32(), idle: u32(),
      windows: Object.fromEntries(WINDOWS.map((name) => [name, u32()])),
      previousRecord: reader.take(32), previousDeal: reader.take(32), burnt: u32(),
      seed: reader.u8In(0, 1) === 1 ? reader.take(32) : null,
    };
    reader.require(isDealSound(deal));
    return deal;
  });

/** The Readies with their signatures, in seat order; they are read later. */
export const readSeats = (bytes) =>
  readAll(bytes, 'unreadable', (reader) =>
    times(reader.u8In(2, 4), () => ({ body: reader.take(reader.u32()), signature: reader.take(64) })));

export const readReady = (bytes) =>
  readAll(bytes, 'unreadable', (reader) => {
    const ready = { key: reader.take(32), commitment: reader.take(32), flags: reader.u8In(0, 1) };
    const name = reader.take(reader.u8());
    reader.require(isUtf8(name));
    return { ...ready, name: name.toString() };
  });

export const readStart = (bytes) =>
  readAll(bytes, 'unreadable', (reader) => ({
    mix: reader.take(32),
    nonces: times(reader.u8(), () => reader.take(32)),
    clock: reader.u64(),
  }));

export const readGap = (bytes) =>
  readAll(bytes, 'unreadable', (reader) => ({ from: reader.u32(), to: reader.u32() }));

export const ACT = { offer: 3, agree: 4, refuse: 5, withdraw: 6, resign: 7, resume: 9 };
export const isVote = (act) => act >= ACT.offer && act <= ACT.withdraw;

export const readSeal = (bytes) =>
  readAll(bytes, 'unreadable', (reader) => {
    const seal = {
      seat: reader.u8(), number: reader.u32(), moves: reader.u32(), head: reader.take(32), tick: reader.u64(),
      act: reader.u8In(0, ACT.resume), argument: reader.u8(),
    };
    reader.require(isVote(seal.act) || seal.argument === 0);
    return seal;
  });

const TERMINATIONS = [1, 2, 3, 4, 5, 8, 15];

export const readResult = (bytes) =>
  readAll(bytes, 'unreadable', (reader) => {
    const { u8, u32 } = reader;
    const result = { digest: reader.take(32), termination: u8(), winners: u8(), t: u32() };
    result.seats = times(reader.u8In(2, 4), () => ({
      state: reader.u8In(0, 3), score: u32(), max_exponent: u8(), moves: u32(), unsealed: u32(),
    }));
    reader.require(TERMINATIONS.includes(result.termination) && result.winners < 2 ** result.seats.length);
    return result;
  });
