import { createHash } from 'node:crypto'
import type { Chance } from '../simulation/chance.ts'

export type Change =
  | { kind: 'create'; file: string }
  | { kind: 'remove'; file: string }
  | { kind: 'write'; file: string; offset: number; data: Buffer }
  | { kind: 'truncate'; file: string; size: number }
  | { kind: 'sync'; file: string }
  | { kind: 'sync-folder' }

/** A disk writes a sector whole or not at all. */
const sectorBytes = 512

type Piece = { offset: number; data: Buffer } | { size: number }
type File = {
  durable: Buffer
  /** Since the last sync, oldest first. */
  pending: Piece[]
  /** Whether it is in its folder: on the disk, and for the program. */
  isListed: boolean
  exists: boolean
}

/** What one power cut left, by path, and a digest of it. */
export type Remains = { files: ReadonlyMap<string, Buffer>; digest: string }

/**
 * A disk that keeps its promises and nothing more: what has been synced is there. Of all that was written since, any
 * sectors may be, whatever came first; and so may a file that was created or removed, until its folder is synced.
 */
export class Disk {
  #files = new Map<string, File>()
  #syncs = 0

  constructor(files: ReadonlyMap<string, Buffer>) {
    for (const [path, durable] of files)
      this.#files.set(path, { durable, pending: [], isListed: true, exists: true })
  }

  change(change: Change): void {
    if (change.kind === 'sync-folder') {
      for (const file of this.#files.values()) file.isListed = file.exists
      this.#syncs++
      return
    }
    const file = this.#find(change.file)
    if (change.kind === 'create') {
      if (!file.exists) Object.assign(file, { durable: Buffer.alloc(0), pending: [] })
      file.exists = true
    } else if (change.kind === 'remove') file.exists = false
    else if (change.kind === 'write') file.pending.push({ offset: change.offset, data: change.data })
    else if (change.kind === 'truncate') file.pending.push({ size: change.size })
    else {
      file.durable = applyTo(file.durable, file.pending)
      file.pending = []
      this.#syncs++
    }
  }

  /** One of the states in which a power cut at this moment may leave the disk. */
  cutPower(chance: Chance): Remains {
    const digest = createHash('sha1').update(`${this.#syncs}`)
    const files = new Map<string, Buffer>()
    for (const [path, file] of this.#files) {
      const isThere = file.exists === file.isListed ? file.exists : chance.isLucky(0.5)
      const pieces = choose(file.pending, chance)
      digest.update(`\n${path} ${isThere} ${pieces.map(describe).join()}`)
      if (isThere) files.set(path, applyTo(file.durable, pieces))
    }
    return { files, digest: digest.digest('hex') }
  }

  #find(path: string): File {
    const file = this.#files.get(path) ?? {
      durable: Buffer.alloc(0),
      pending: [],
      isListed: false,
      exists: false,
    }
    this.#files.set(path, file)
    return file
  }
}

/** Which of the pieces, or of their sectors, reached the disk. */
function choose(pieces: readonly Piece[], chance: Chance): Piece[] {
  const share = chance.number()
  const some = <T>(all: readonly T[]): T[] => all.filter(() => chance.isLucky(share))
  const choices = {
    none: () => [],
    all: () => [...pieces],
    'the first': () => pieces.slice(0, chance.index(pieces.length + 1)),
    some: () => some(pieces),
    'some sectors': () => some(pieces.flatMap(toSectors)),
    'all but a sector': () => {
      const sectors = pieces.flatMap(toSectors)
      return sectors.toSpliced(chance.index(Math.max(1, sectors.length)), 1)
    },
  }
  return chance.pick([
    [1, choices.none],
    [1, choices.all],
    [2, choices['the first']],
    [3, choices.some],
    [3, choices['some sectors']],
    [2, choices['all but a sector']],
  ])()
}

function toSectors(piece: Piece): Piece[] {
  if ('size' in piece) return [piece]
  const sectors: Piece[] = []
  const end = piece.offset + piece.data.length
  for (let from = piece.offset; from < end;) {
    const to = Math.min(end, (Math.floor(from / sectorBytes) + 1) * sectorBytes)
    sectors.push({ offset: from, data: piece.data.subarray(from - piece.offset, to - piece.offset) })
    from = to
  }
  return sectors
}

/** What has never been written before the end of a file reads as zeros. */
function applyTo(before: Buffer, pieces: readonly Piece[]): Buffer {
  let size = before.length
  let most = size
  for (const piece of pieces) {
    size = 'size' in piece ? piece.size : Math.max(size, piece.offset + piece.data.length)
    most = Math.max(most, size)
  }
  const after = Buffer.alloc(most)
  before.copy(after)
  size = before.length
  for (const piece of pieces)
    if ('size' in piece) {
      after.fill(0, piece.size)
      size = piece.size
    } else {
      piece.data.copy(after, piece.offset)
      size = Math.max(size, piece.offset + piece.data.length)
    }
  return after.subarray(0, size)
}

const describe = (piece: Piece): string =>
  'size' in piece ? `=${piece.size}` : `${piece.offset}+${piece.data.length}`
