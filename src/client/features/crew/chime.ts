/** `locked`: the browser keeps pages silent until somebody touches them. */
export type Sound = 'on' | 'off' | 'locked' | 'unavailable'
export type Tune = 'new' | 'again'

const tunes: Record<Tune, { notes: [number, number]; loudness: number }> = {
  new: { notes: [880, 1318.5], loudness: 0.5 },
  again: { notes: [659.3, 880], loudness: 0.25 },
}
const noteSeconds = 0.18
/** The end of a touch: what the unlocked sound changes on the screen must not move a button from under the finger. */
const gestures = ['pointerup', 'keydown'] as const
/** The touch that unlocks the sound may be on the very button that would turn it off. */
const sameTouchMs = 700

/** The sound of one screen. What it says about itself is what the loudspeaker would do. */
export class Chime {
  #context: AudioContext | null = null
  #wanted = true
  #sound: Sound = typeof AudioContext === 'undefined' ? 'unavailable' : 'locked'
  #unlockedAt = -Infinity
  #listeners = new Set<() => void>()

  get sound(): Sound {
    return this.#sound
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Waits for a touch or a key, now and whenever the device has silenced the page again. */
  listen(): () => void {
    for (const gesture of gestures) window.addEventListener(gesture, this.#unlock, { capture: true })
    return () => {
      for (const gesture of gestures) window.removeEventListener(gesture, this.#unlock, { capture: true })
      const context = this.#context
      this.#context = null
      context?.close().catch(logSilence)
    }
  }

  toggle(): void {
    if (this.#sound === 'on' && performance.now() - this.#unlockedAt < sameTouchMs) return
    this.#wanted = !this.#wanted
    this.#update()
  }

  play(tune: Tune): void {
    const context = this.#context
    if (this.#sound !== 'on' || !context) return
    const { notes, loudness } = tunes[tune]
    for (const [index, frequency] of notes.entries()) {
      const start = context.currentTime + index * noteSeconds
      const gain = new GainNode(context, { gain: 0 })
      gain.gain.setValueAtTime(0.0001, start)
      gain.gain.exponentialRampToValueAtTime(loudness, start + 0.01)
      gain.gain.exponentialRampToValueAtTime(0.0001, start + noteSeconds * 3)
      const note = new OscillatorNode(context, { type: 'triangle', frequency })
      note.connect(gain).connect(context.destination)
      note.start(start)
      note.stop(start + noteSeconds * 3)
    }
  }

  #unlock = (): void => {
    if (this.#sound === 'unavailable' || this.#context?.state === 'running') return
    if (!this.#context) {
      this.#context = new AudioContext()
      this.#context.addEventListener('statechange', this.#update)
    }
    this.#context.resume().then(this.#update, logSilence)
  }

  #update = (): void => {
    const before = this.#sound
    const running = this.#context?.state === 'running'
    this.#sound = this.#wanted ? (running ? 'on' : 'locked') : 'off'
    if (before === this.#sound) return
    if (before === 'locked') this.#unlockedAt = performance.now()
    for (const listener of this.#listeners) listener()
  }
}

const logSilence = (problem: unknown): void => console.error('The sound could not be played', problem)
