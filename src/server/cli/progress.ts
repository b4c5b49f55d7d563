const appearsAfterMs = 2_000
const intervalMs = 100
const width = 30

type Progress = Disposable & { report: (done: number, total: number | null) => void }

/** A bar on the terminal for what takes longer than two seconds; nothing where no terminal is. */
export function createProgress(label: string): Progress {
  const startedAt = performance.now()
  let drawnAt = startedAt + appearsAfterMs - intervalMs
  let isDrawn = false
  const draw = (text: string) => process.stderr.write(`\r\u001B[K${text}`)
  return {
    report(done, total) {
      const now = performance.now()
      if (!process.stderr.isTTY || now < drawnAt + intervalMs) return
      drawnAt = now
      isDrawn = true
      if (total === null) return void draw(`${label} ${done.toLocaleString('en')}`)
      const share = total === 0 ? 1 : Math.min(1, done / total)
      const filled = Math.round(share * width)
      draw(`${label} [${'#'.repeat(filled)}${'.'.repeat(width - filled)}] ${Math.floor(share * 100)} %`)
    },
    [Symbol.dispose]: () => {
      if (isDrawn) draw('')
    },
  }
}
