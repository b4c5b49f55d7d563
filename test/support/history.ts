/** Resolves once the browser has arrived where the page has last sent it in the history. */
export let arrival: Promise<unknown> = Promise.resolve()

const go = history.go.bind(history)
history.go = (by) => {
  arrival = new Promise((resolve) => addEventListener('popstate', resolve, { once: true }))
  go(by)
}
