/** For requests: a new one; one that waits for everybody or waits again; one that waits much too long. */
export type Urgency = 'new' | 'again' | 'urgent'
/** Alarms rise in pitch, messages fall, and calls to a role fall and rise again. */
export type Tune = Urgency | 'message' | 'call'

type Voice = {
  /** The strength of the fundamental and of each overtone. */
  partials: readonly number[]
  holdSeconds: number
  fadeSeconds: number
}
type Score = { notes: readonly number[]; everySeconds: number; loudness: number }

/** Many partials between 500 and 4000 Hz, where ears are best and phones are loudest. */
const alarmVoices = {
  bells: { partials: [1, 0.6, 0.4, 0.3], holdSeconds: 0, fadeSeconds: 0.53, pitch: 880 },
  wood: { partials: [1, 0, 0, 0.8, 0, 0.4], holdSeconds: 0, fadeSeconds: 0.2, pitch: 660 },
  signals: { partials: [1, 0, 0.6, 0, 0.4], holdSeconds: 0.11, fadeSeconds: 0.02, pitch: 740 },
} as const satisfies Record<string, Voice & { pitch: number }>
export type AlarmSet = keyof typeof alarmVoices

const plainVoice: Voice = { partials: [1], holdSeconds: 0, fadeSeconds: 0.53 }

/** The notes of an alarm are intervals above the pitch of its set. */
const scores: Record<Tune, Score> = {
  new: { notes: [1, 1.5], everySeconds: 0.18, loudness: 0.6 },
  again: { notes: [0.8, 1], everySeconds: 0.18, loudness: 0.4 },
  urgent: { notes: [1.2, 1.8, 1.2, 1.8], everySeconds: 0.14, loudness: 0.9 },
  message: { notes: [587.3, 440], everySeconds: 0.18, loudness: 0.4 },
  call: { notes: [587.3, 440, 587.3], everySeconds: 0.18, loudness: 0.5 },
}

const attackSeconds = 0.01
const silence = 0.0001

/** Plays it from `at` on, and returns when it ends; both on the context's clock. */
export function playTune(context: BaseAudioContext, tune: Tune, set: AlarmSet, at: number): number {
  const { notes, everySeconds, loudness } = scores[tune]
  const isAlarm = tune !== 'message' && tune !== 'call'
  const { partials, holdSeconds, fadeSeconds } = isAlarm ? alarmVoices[set] : plainVoice
  const pitch = isAlarm ? alarmVoices[set].pitch : 1
  const imag = new Float32Array([0, ...partials])
  const periodicWave = new PeriodicWave(context, { real: new Float32Array(imag.length), imag })
  let end = at
  for (const [index, note] of notes.entries()) {
    const start = at + index * everySeconds
    const fade = start + attackSeconds + holdSeconds
    end = fade + fadeSeconds
    const gain = new GainNode(context, { gain: 0 })
    gain.gain.setValueAtTime(silence, start)
    gain.gain.exponentialRampToValueAtTime(loudness, start + attackSeconds)
    gain.gain.setValueAtTime(loudness, fade)
    gain.gain.exponentialRampToValueAtTime(silence, end)
    const oscillator = new OscillatorNode(context, { type: 'custom', frequency: note * pitch, periodicWave })
    oscillator.connect(gain).connect(context.destination)
    oscillator.start(start)
    oscillator.stop(end)
  }
  return end
}
