import type { Command } from './commands.ts'
import type { CrewView, RequestView, RushView, TableView, View } from './view.ts'

/** What the page keeps of the log. */
const keptEntries = 60
const speeds = [1, 2, 5, 10, 30, 60, 120] as const

function find(selector: string): HTMLElement {
  const found = document.querySelector(selector)
  if (!(found instanceof HTMLElement)) throw new Error(`The page has no ${selector}`)
  return found
}

function findSlider(name: string): HTMLInputElement {
  const found = find(`#${name}`)
  if (!(found instanceof HTMLInputElement)) throw new Error(`${name} is no slider`)
  return found
}

function findChoice(): HTMLSelectElement {
  const found = find('#who')
  if (!(found instanceof HTMLSelectElement)) throw new Error('There is nothing to choose from')
  return found
}

/** Touches the page only where something is new. */
function say(element: Element, text: string): void {
  if (element.textContent !== text) element.textContent = text
}

function mark(element: Element, name: string, value: string | boolean): void {
  if (value === false) element.removeAttribute(name)
  else if (element.getAttribute(name) !== String(value))
    element.setAttribute(name, value === true ? '' : value)
}

function create(tag: string, className = '', ...children: (Node | string)[]): HTMLElement {
  const element = document.createElement(tag)
  if (className) element.className = className
  element.append(...children)
  return element
}

const minutes = (ms: number): string =>
  `${Math.floor(ms / 60_000)}:${String(Math.floor(ms / 1_000) % 60).padStart(2, '0')}`

const networks = {
  good: '',
  gone: 'no network',
  'half-open': 'half-open',
  connecting: 'connecting',
}

let view: View | null = null
let isBusy = false

async function send(command: Command): Promise<void> {
  const response = await fetch('/commands', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(command),
  })
  const { said } = await response.json()
  if (said) say(find('#status'), said)
}

// Tables.

type Card = { element: HTMLElement; phone: HTMLElement; list: HTMLElement; made: string; ages: HTMLElement[] }
const cards: Card[] = []

function addCard(number: string): Card {
  const title = create('h3', '', create('span', 'hidden', 'Table '), number)
  const list = create('ul', 'requests')
  const phone = create('p', 'phone')
  const element = create('li', 'table', title, list, phone)
  find('#tables').append(element)
  const card = { element, phone, list, made: '', ages: [] }
  cards.push(card)
  return card
}

const heatOf = ({ heat }: RequestView): string =>
  heat === null ? 'none' : heat >= 1 ? 'late' : heat >= 0.6 ? 'warm' : 'cool'

function showTable(table: TableView, index: number): void {
  const card = cards[index] ?? addCard(table.number)
  const made = JSON.stringify(
    table.requests.map((request) => [request.id, request.crew, request.guest, heatOf(request)]),
  )
  if (card.made !== made) {
    card.made = made
    card.ages = []
    card.list.replaceChildren(
      ...table.requests.map((request) => {
        const age = create('span')
        card.ages.push(age)
        const row = create(
          'li',
          '',
          create('span', 'what', request.what, age),
          create('small', '', request.crew),
          create(
            'small',
            '',
            create('span', 'hidden', 'The guest reads: '),
            request.guest === null ? 'nothing yet' : `“${request.guest}”`,
          ),
        )
        row.dataset['heat'] = heatOf(request)
        return row
      }),
    )
  }
  for (const [at, { waitedMs }] of table.requests.entries()) {
    const age = card.ages[at]
    if (age) say(age, minutes(waitedMs))
  }
  const trouble = [
    networks[table.network],
    table.unsent > 0 ? `${table.unsent} sending` : '',
    table.isUnheard ? '“Please wave to your waiter.”' : '',
  ].filter((each) => each !== '')
  say(card.phone, trouble.length > 0 ? `Phone: ${trouble.join(', ')}` : '')
  mark(card.phone, 'data-trouble', trouble.length > 0)
  mark(card.element, 'data-idle', table.requests.length === 0)
}

function showMember({ name, doing, tables, network, isBusy }: CrewView, index: number): void {
  const list = find('#crew')
  const row = list.children[index] ?? create('li', '', create('span'), create('span'), create('small'))
  if (!row.parentNode) list.append(row)
  const [first, second, third] = row.children
  if (!first || !second || !third) return
  say(first, name)
  say(second, doing)
  mark(second, 'data-busy', isBusy)
  const screen = networks[network]
  say(third, screen ? `screen: ${screen}` : tables ? `tables ${tables}` : '')
  mark(third, 'data-trouble', screen !== '')
}

function showRush({ soundsPerPerson, nineOfTenMs, toAll, toManager }: RushView): void {
  const known = (value: number | null, write: (value: number) => string) =>
    value === null ? '–' : write(value)
  const share = (value: number) => `${(100 * value).toFixed(value > 0 && value < 0.1 ? 1 : 0)} %`
  say(
    find('#sounds'),
    known(soundsPerPerson, (value) => value.toFixed(1)),
  )
  say(find('#nine-of-ten'), known(nineOfTenMs, minutes))
  say(find('#to-all'), known(toAll, share))
  say(find('#to-manager'), known(toManager, share))
}

let shownLog = 0

function showLog(log: View['log']): void {
  const newest = log[0]?.id ?? 0
  if (newest === shownLog) return
  const list = find('#log')
  // Another evening begins with the first entry again.
  if (newest < shownLog) list.replaceChildren()
  const known = newest < shownLog ? 0 : shownLog
  const added = log
    .filter(({ id }) => id > known)
    .map(({ clock, text, tone, story }) => {
      const line = create('span', '', text, ...story.map((each) => create('small', '', create('br'), each)))
      line.dataset['tone'] = tone
      return create('li', '', create('time', '', clock), line)
    })
  list.prepend(...added)
  while (list.children.length > keptEntries) list.lastElementChild?.remove()
  shownLog = newest
}

// What is set.

type Slider = {
  name: 'rush' | 'staff' | 'losses' | 'speed'
  text: (value: number) => string
  of: (view: View) => number
}
const speedAt = (index: number) => speeds[index] ?? 60
const sliders: readonly Slider[] = [
  { name: 'rush', text: (value) => `${value} requests an hour`, of: ({ settings }) => settings.rush },
  { name: 'staff', text: (value) => `${value} of 6 at work`, of: ({ settings }) => settings.staff },
  { name: 'losses', text: (value) => `${value} of 100 calls`, of: ({ settings }) => settings.losses },
  {
    name: 'speed',
    text: (index) => `${speedAt(index)} times`,
    of: ({ speed }) => speeds.findIndex((each) => each === speed.asked),
  },
]

for (const { name, text } of sliders) {
  const input = findSlider(name)
  const tell = () => {
    say(find(`#${name}-text`), text(input.valueAsNumber))
    input.setAttribute('aria-valuetext', text(input.valueAsNumber))
  }
  input.addEventListener('input', tell)
  input.addEventListener('change', () => {
    const value = input.valueAsNumber
    void send({ do: 'set', ...(name === 'speed' ? { speed: speedAt(value) } : { [name]: value }) })
  })
}

function showSliders(view: View): void {
  for (const { name, text, of } of sliders) {
    const input = findSlider(name)
    // A slider in somebody's hand stays there.
    if (input === document.activeElement && input.dataset['known']) continue
    input.dataset['known'] = 'yes'
    const value = of(view)
    if (input.valueAsNumber !== value) input.valueAsNumber = value
    say(find(`#${name}-text`), text(value))
    mark(input, 'aria-valuetext', text(value))
  }
}

function showScreens({ screens }: View): void {
  const select = findChoice()
  for (const [index, { name, network }] of screens.entries()) {
    const option = select.options[index] ?? select.appendChild(document.createElement('option'))
    option.value = name
    const state = networks[network]
    say(option, state ? `${name}: ${state}` : name)
  }
}

// Everything together.

/** Said once, when it becomes so. */
function breachesOf({ lost, untrue, broken }: View['counters']): string {
  const found = [
    lost > 0 ? `Lost: ${lost}` : '',
    untrue > 0 ? `Untrue: ${untrue}` : '',
    broken > 0 ? `Other breaches: ${broken}` : '',
  ].filter((each) => each !== '')
  return found.length > 0 ? `${found.join(', ')}. What happened is below, in “What happened”.` : ''
}

const counters = ['taps', 'acknowledged', 'completed', 'alerts', 'lost', 'untrue', 'broken'] as const

function show(next: View): void {
  view = next
  const { counters: counted, state, speed } = next
  say(find('#clock'), next.clock.slice(0, 5))
  for (const name of counters) say(find(`#${name}`), String(counted[name]))
  say(find('#usual-wait'), counted.usualWaitMs === null ? '–' : minutes(counted.usualWaitMs))
  for (const name of ['lost', 'untrue', 'broken'] as const) {
    const isBroken = counted[name] > 0
    const box = find(`#${name}`).parentElement
    if (box) mark(box, 'data-broken', isBroken)
  }
  say(find('#alarm'), breachesOf(counted))
  say(find('[data-toggle=play]'), state === 'running' ? 'Pause' : 'Go on')
  mark(find('[data-toggle=play]'), 'aria-disabled', state === 'over' && 'true')
  say(find('[data-toggle=push]'), next.isPushLost ? 'Bring the push service back' : 'Lose the push service')
  say(
    find('#reached'),
    state === 'over'
      ? 'The evening is over.'
      : state === 'paused'
        ? 'Paused.'
        : `A second lasts ${Math.round(speed.reached)} seconds here. This is evening ${next.seed}.`,
  )
  for (const [index, table] of next.tables.entries()) showTable(table, index)
  for (const [index, member] of next.crew.entries()) showMember(member, index)
  showRush(next.rush)
  showLog(next.log)
  showSliders(next)
  showScreens(next)
}

document.addEventListener('click', ({ target }) => {
  const button = target instanceof Element ? target.closest<HTMLButtonElement>('button') : null
  if (!button || !view || isBusy) return
  isBusy = true
  void send(commandOf(button, view)).finally(() => {
    isBusy = false
  })
})

function commandOf(button: HTMLButtonElement, { state, isPushLost }: View): Command {
  const { toggle, do: action } = button.dataset
  if (toggle === 'play') return { do: state === 'running' ? 'pause' : 'continue' }
  if (toggle === 'push') return { do: isPushLost ? 'regain-push' : 'lose-push' }
  const who = findChoice().value
  switch (action) {
    case 'cut':
    case 'freeze':
    case 'give-back':
      return { do: action, who }
    case 'step':
    case 'new-evening':
    case 'stop':
    case 'kill':
    case 'tell-lie':
    case 'delete-request':
      return { do: action }
    default:
      throw new Error(`A button of no command: ${button.textContent}`)
  }
}

// The evening stands still while nobody looks.
let source: EventSource | null = null

function follow(): void {
  source?.close()
  source = null
  if (document.hidden) return
  const isCalm = matchMedia('(prefers-reduced-motion: reduce)').matches
  source = new EventSource(isCalm ? '/evening?calm' : '/evening')
  source.addEventListener('message', ({ data }) => show(JSON.parse(String(data))))
  source.addEventListener('error', () => say(find('#status'), 'The simulation has ended.'))
}

document.addEventListener('visibilitychange', follow)
follow()
