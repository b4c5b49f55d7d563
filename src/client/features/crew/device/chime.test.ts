// @vitest-environment jsdom
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { Chime } from './chime.ts'

const session: { type: string } = { type: 'auto' }
const contexts: FakeContext[] = []
/** When each note begins, on the clock of its context. */
const notes: number[] = []

/** Runs as soon as it is resumed, as after a touch. */
class FakeContext extends EventTarget {
  currentTime = 0
  state: AudioContextState = 'suspended'
  readonly sessionType = session.type
  constructor() {
    super()
    contexts.push(this)
  }
  become(state: AudioContextState): void {
    this.state = state
    this.dispatchEvent(new Event('statechange'))
  }
  async resume(): Promise<void> {
    this.become('running')
  }
  async close(): Promise<void> {
    this.state = 'closed'
  }
}

class FakeGain {
  readonly gain = { setValueAtTime: vi.fn<() => void>(), exponentialRampToValueAtTime: vi.fn<() => void>() }
  connect(): void {}
}

class FakeOscillator {
  connect<T>(next: T): T {
    return next
  }
  start(at: number): void {
    notes.push(at)
  }
  stop(): void {}
}

const touch = (): void => {
  window.dispatchEvent(new Event('pointerdown'))
  window.dispatchEvent(new Event('pointerup'))
}

const isOn = async (): Promise<void> => await expect.poll(() => chime.sound).toBe('on')

let chime: Chime
let stop: () => void

beforeEach(async () => {
  vi.stubGlobal('AudioContext', FakeContext)
  vi.stubGlobal('PeriodicWave', Object)
  vi.stubGlobal('GainNode', FakeGain)
  vi.stubGlobal('OscillatorNode', FakeOscillator)
  Object.assign(navigator, { audioSession: session })
  chime = new Chime()
  stop = chime.listen()
  touch()
  await isOn()
})

afterEach(() => {
  stop()
  contexts.length = 0
  notes.length = 0
  Reflect.deleteProperty(navigator, 'audioSession')
  vi.unstubAllGlobals()
})

it('says that it plays before there is a sound, and only while it is on', () => {
  expect(contexts[0]?.sessionType).toBe('playback')
  touch()
  chime.toggle()
  expect(session.type).toBe('auto')
  chime.toggle()
  expect(session.type).toBe('playback')
  stop()
  expect(session.type).toBe('auto')
})

it('comes back by itself when the browser leaves the sound off after a call', async () => {
  contexts[0]?.become('interrupted')
  expect(chime.sound).toBe('locked')
  contexts[0]?.become('suspended')
  await isOn()
  expect(contexts).toHaveLength(1)
})

it('starts anew at a touch when the browser does not end an interruption', async () => {
  contexts[0]?.become('interrupted')
  touch()
  await isOn()
  expect(contexts.map(({ state }) => state)).toEqual(['closed', 'running'])
})

it('sounds at once on the context that follows an interrupted one', async () => {
  Object.assign(contexts[0] ?? {}, { currentTime: 3_600 })
  chime.play('new')
  const tune = notes.splice(0).map((at) => at - 3_600)
  expect(tune[0]).toBe(0)
  contexts[0]?.become('interrupted')
  touch()
  await isOn()
  chime.play('new')
  expect(notes.map((at) => at.toFixed(3))).toEqual(tune.map((at) => at.toFixed(3)))
})
