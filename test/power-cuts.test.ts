import { expect, it } from 'vitest'
import { Disk } from '../disk-faults/disk.ts'
import { createChance } from '../simulation/chance.ts'

const path = '/data/tableside.db'
const zeros = Buffer.alloc(1024)
const ones = Buffer.alloc(1024, 1)

/** What many power cuts leave of one file, as the first byte of each sector; null without the file. */
function remainsOf(disk: Disk): Set<string | null> {
  const chance = createChance(1)
  const states = Array.from({ length: 500 }, () => disk.cutPower(chance).files.get(path))
  return new Set(
    states.map((data) =>
      data ? Array.from({ length: data.length / 512 }, (_, sector) => data[sector * 512]).join('') : null,
    ),
  )
}

it('leaves after a power cut everything that was synced, and any sectors of what was not', () => {
  const disk = new Disk(new Map([[path, zeros]]))
  disk.change({ kind: 'write', file: path, offset: 0, data: ones })
  expect(remainsOf(disk)).toEqual(new Set(['00', '01', '10', '11']))
  disk.change({ kind: 'sync', file: path })
  expect(remainsOf(disk)).toEqual(new Set(['11']))
  disk.change({ kind: 'write', file: path, offset: 1536, data: ones.subarray(512) })
  expect(remainsOf(disk)).toEqual(new Set(['11', '1101']))
  disk.change({ kind: 'truncate', file: path, size: 512 })
  expect(remainsOf(disk)).toEqual(new Set(['11', '1101', '1']))
})

it('leaves a new file for certain only once its folder is synced', () => {
  const disk = new Disk(new Map())
  disk.change({ kind: 'create', file: path })
  disk.change({ kind: 'write', file: path, offset: 0, data: ones.subarray(512) })
  disk.change({ kind: 'sync', file: path })
  expect(remainsOf(disk)).toEqual(new Set([null, '1']))
  disk.change({ kind: 'sync-folder' })
  expect(remainsOf(disk)).toEqual(new Set(['1']))
  disk.change({ kind: 'remove', file: path })
  expect(remainsOf(disk)).toEqual(new Set([null, '1']))
})
