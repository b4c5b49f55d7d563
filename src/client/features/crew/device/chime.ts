/** `locked`: browsers keep a page silent until it is touched. */
export type SoundState = 'on' | 'off' | 'locked' | 'unavailable'
/** Requests rise in pitch, messages fall, and calls to a role fall and rise again. */
export type Tune = 'new' | 'again' | 'message' | 'call'

const tunes: Record<Tune, { notes: number[]; loudness: number; type: OscillatorType }> = {
  new: { notes: [880, 1318.5], loudness: 0.5, type: 'triangle' },
  again: { notes: [659.3, 880], loudness: 0.25, type: 'triangle' },
  message: { notes: [587.3, 440], loudness: 0.4, type: 'sine' },
  call: { notes: [587.3, 440, 587.3], loudness: 0.5, type: 'sine' },
}
const noteSeconds = 0.18
/** Keeps the test sound and an alert that waited for it from playing at the same time. */
const minRepeatSeconds = 0.5
/** At the end of a touch: the layout change that follows must not move a button away from under the finger. */
const unlockEvents = ['pointerup', 'keydown'] as const

/** The sound of one screen. `sound` tells what would really be heard. */
export class Chime {
  #context: AudioContext | null = null
  #wanted = true
  #sound: SoundState = typeof AudioContext === 'undefined' ? 'unavailable' : 'locked'
  #touches = 0
  #unlockedBy = -1
  #played: { tune: Tune; at: number } | null = null
  #listeners = new Set<() => void>()

  get sound(): SoundState {
    return this.#sound
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Unlocks the sound on a touch or key, now and whenever the device has silenced the page again. */
  listen(): () => void {
    const stopping = new AbortController()
    const { signal } = stopping
    window.addEventListener('pointerdown', this.#createContext, { capture: true, signal })
    for (const gesture of unlockEvents)
      window.addEventListener(gesture, this.#handleTouch, { capture: true, signal })
    return () => {
      stopping.abort()
      const context = this.#context
      this.#context = null
      context?.close().catch(logPlaybackError)
    }
  }

  /** The touch that unlocked the sound may be on the button that turns it off: it must not do both. */
  toggle(): void {
    if (this.#sound === 'on' && this.#unlockedBy === this.#touches) return
    this.#wanted = !this.#wanted
    this.#update()
  }

  /** Must be called from a tap: turns the sound on and plays a test. */
  async start(): Promise<void> {
    this.#wanted = true
    await this.#unlock()
    this.play('new')
  }

  play(tune: Tune): void {
    const context = this.#context
    if (this.#sound !== 'on' || !context) return
    const at = context.currentTime
    if (this.#played?.tune === tune && at - this.#played.at < minRepeatSeconds) return
    this.#played = { tune, at }
    const { notes, loudness, type } = tunes[tune]
    for (const [index, frequency] of notes.entries()) {
      const start = at + index * noteSeconds
      const gain = new GainNode(context, { gain: 0 })
      gain.gain.setValueAtTime(0.0001, start)
      gain.gain.exponentialRampToValueAtTime(loudness, start + 0.01)
      gain.gain.exponentialRampToValueAtTime(0.0001, start + noteSeconds * 3)
      const note = new OscillatorNode(context, { type, frequency })
      note.connect(gain).connect(context.destination)
      note.start(start)
      note.stop(start + noteSeconds * 3)
    }
  }

  /** Takes slow devices a tenth of a second, so it runs on pointer down, before the tap has to be answered. */
  #createContext = (): void => {
    if (this.#sound !== 'unavailable') this.#context ??= new AudioContext()
  }

  #unlock = async (): Promise<void> => {
    this.#createContext()
    if (!this.#context) return
    this.#context.addEventListener('statechange', this.#update)
    if (this.#context.state !== 'running') await this.#context.resume().catch(logPlaybackError)
    this.#update()
  }

  #handleTouch = (): void => {
    this.#touches += 1
    void this.#unlock()
  }

  #update = (): void => {
    if (this.#sound === 'unavailable') return
    const before = this.#sound
    const running = this.#context?.state === 'running'
    this.#sound = this.#wanted ? (running ? 'on' : 'locked') : 'off'
    if (before === this.#sound) return
    if (before === 'locked') this.#unlockedBy = this.#touches
    for (const listener of this.#listeners) listener()
  }
}

const logPlaybackError = (error: unknown): void => console.error('The sound could not be played', error)
