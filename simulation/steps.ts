import type { ServiceType } from '#contract/requests/requests.ts'
import type { HoursKind, PausableNeed } from './availability.ts'
import { createChance } from './chance.ts'

/** What a bad network does to one call: nothing, loses it, loses its answer, or delivers it after later ones. */
export type Loss = 'none' | 'call' | 'answer' | 'late'
export type CrewAct =
  | 'accept-request'
  | 'release-request'
  | 'complete-request'
  | 'reopen-request'
  | 'requests-seen'

/** Few, so that guests ask for the same; with targets and ladders of different lengths. */
const asked: readonly ServiceType[] = ['general', 'check', 'assistance']
const pausable = ['check', 'assistance'] as const satisfies readonly PausableNeed[]

/** Who is meant is a number that is taken modulo those who are there, so a run may leave out any of its steps. */
export type Step = { afterMs: number } & (
  | { do: 'wait' }
  | { do: 'tap'; phone: number; id: string; serviceType: ServiceType; loss: Loss; lateMs: number }
  | { do: 'retry'; phone: number }
  | { do: 'cancel' | 'still-waiting' | 'reload'; phone: number; which: number; loss: Loss; lateMs: number }
  | { do: 'act'; tablet: number; act: CrewAct; which: number }
  | { do: 'intrude'; phone: number; act: CrewAct; which: number }
  | { do: 'at-once'; taps: readonly NewTap[]; cancels: readonly Pick[]; acts: readonly TabletAct[] }
  | { do: 'connect' | 'cut' | 'freeze' | 'thaw'; screen: number }
  | { do: 'leave'; tablet: number; forMs: number }
  | { do: 'add-crew' | 'add-table' | 'remove-crew' | 'revoke'; which: number }
  | { do: 'push-fails'; device: number; answer: 'failed' | 'gone' | 'slow' }
  | { do: 'stop' | 'kill'; which: number; afterTurns: number; taps: readonly NewTap[] }
  | { do: 'lose-broker'; forMs: number; signedOut: number | null }
  | { do: 'move-party'; phone: number; tablet: number; to: number; id: string }
  | { do: 'undo-move'; tablet: number; which: number }
  | { do: 'correct-table'; phone: number; to: number; scans: boolean }
  | { do: 'new-session'; phone: number }
  | { do: 'set-hours'; hours: HoursKind }
  | { do: 'pause'; needs: readonly PausableNeed[]; minutes: number }
  | { do: 'resume'; need: PausableNeed }
  | { do: 'mute-table'; tablet: number; table: number; forMs: number | null }
  | { do: 'unmute-table'; tablet: number; table: number }
  | { do: 'pay' | 'lapse' }
  | { do: 'make-button'; table: number }
  | { do: 'hand-over'; tablet: number; to: number | null }
  | { do: 'assign-section'; section: number; tablet: number | null }
  | { do: 'set-pin'; tablet: number; pin: string | null }
  | { do: 'guess-pin'; tablet: number; of: number }
  | { do: 'manage' }
  | { do: 'end-manager'; how: 'sign-out' | 'password' | 'removal' }
)

export type NewTap = { phone: number; id: string; serviceType: ServiceType }
type Pick = { phone: number; which: number }
type TabletAct = { tablet: number; act: CrewAct; which: number }

/** Everything that a seed decides besides the steps. */
export type Options = {
  seed: number
  forMs: number
  phones: number
  tablets: number
  tables: number
  /** The share of guests' calls that are lost. */
  lossShare: number
  restarts: boolean
  /** Whether each table has its crew member. */
  assigned: boolean
  /** How long an acceptance lasts. */
  acceptMs: number
  /** Whether the manager's phone has alerts on, and how many of the crew. */
  pushes: 'none' | 'manager' | 'some' | 'all'
  /** Whether another restaurant is on the same server. */
  neighbour: boolean
  /** Whether the figures are compared at its end. */
  figures: boolean
  /** How many processes serve the same database. */
  nodes: number
  /** Whether parties move and guests name wrong tables. */
  parties: boolean
  /** Whether the restaurant closes, needs are paused, tables are muted, and the plan lapses. */
  closings: boolean
  /** Whether sections and shifts change hands, PINs are set, a manager's login ends, and parties move on at once. */
  shifts: boolean
}

export function deriveOptions(seed: number, forMs: number): Options {
  const chance = createChance(seed)
  return {
    seed,
    forMs,
    phones: chance.between(2, 6),
    tablets: chance.between(1, 3),
    tables: chance.between(1, 4),
    lossShare: chance.pick([
      [1, 0],
      [2, 0.15],
      [1, 0.4],
    ]),
    restarts: chance.isLucky(0.4),
    assigned: chance.isLucky(0.5),
    acceptMs: chance.isLucky(0.5) ? 15_000 : 180_000,
    pushes: chance.pick([
      [4, 'none'],
      [3, 'manager'],
      [2, 'some'],
      [1, 'all'],
    ]),
    neighbour: chance.isLucky(0.3),
    figures: chance.isLucky(0.1),
    nodes: chance.pick([
      [3, 1],
      [2, 2],
      [1, 3],
    ]),
    // Decided last: nothing else about a seed’s evening depends on them.
    parties: chance.isLucky(0.5),
    closings: chance.isLucky(0.4),
    shifts: chance.isLucky(0.4),
  }
}

/** The steps of a seed, in their order, each with the time that passes before it. */
export function generateSteps(options: Options): Step[] {
  const { seed, forMs, lossShare, restarts, pushes, nodes, parties, closings, shifts } = options
  const chance = createChance(seed ^ 0x5eed)
  const steps: Step[] = []
  const who = () => chance.index(60)
  /** Where nothing follows a kill, no later event tells the other nodes that they have missed one. */
  const pauseShare = () => (nodes > 1 && steps.at(-1)?.do === 'kill' ? 0.4 : 0.02)
  /** A move is undone at once or hardly ever. */
  const undoShare = () => (steps.at(-1)?.do === 'move-party' ? 20 : 1.5)
  /** What the plan is needed for is tried once it has lapsed. */
  const buttonShare = () => (steps.at(-1)?.do === 'lapse' ? 20 : 1)
  /** Some parties that have just moved go on to another table. */
  const moveShare = () => (shifts && steps.at(-1)?.do === 'move-party' ? 15 : 5)
  const moving = (): number => {
    const last = steps.at(-1)
    return shifts && last?.do === 'move-party' ? last.phone : who()
  }
  /** A PIN is guessed once it has been set. */
  const guessShare = () => (steps.at(-1)?.do === 'set-pin' ? 60 : 2)
  let hours: HoursKind = 'always'
  let isPaid = false
  for (let at = 0; at < forMs;) {
    // Every promise also holds at any time of a pause.
    for (
      let left = chance.isLucky(pauseShare()) ? chance.between(20_000, 60_000) : 0;
      left > 0;
      left -= 2_000
    ) {
      const afterMs = Math.min(left, 2_000)
      at += afterMs
      steps.push({ afterMs, do: 'wait' })
    }
    const afterMs = chance.between(50, 1_200)
    at += afterMs
    steps.push({ afterMs, ...act() })
  }
  return steps

  function act() {
    const kind = chance.pick([
      [9, 'tap'],
      [4, 'retry'],
      [4, 'cancel'],
      [2, 'still-waiting'],
      [1, 'reload'],
      [12, 'act'],
      [0.5, 'intrude'],
      [1.5, 'at-once'],
      [4, 'connect'],
      [1.5, 'cut'],
      [1, 'freeze'],
      [1, 'thaw'],
      [0.7, 'leave'],
      [0.3, 'add-crew'],
      [0.3, 'add-table'],
      [0.2, 'remove-crew'],
      [0.3, 'revoke'],
      [pushes === 'none' ? 0 : 1, 'push-fails'],
      [restarts ? 0.6 : 0, 'stop'],
      [restarts ? 1 : 0, 'kill'],
      [nodes > 1 ? 1 : 0, 'lose-broker'],
      [parties ? moveShare() : 0, 'move-party'],
      [parties ? undoShare() : 0, 'undo-move'],
      [parties ? 0.7 : 0, 'correct-table'],
      [parties ? 0.5 : 0, 'new-session'],
      // Hardly anything is asked where it is closed for long.
      [closings ? (hours === 'always' ? 1.2 : 4) : 0, 'set-hours'],
      [closings ? 1.2 : 0, 'pause'],
      [closings ? 1 : 0, 'resume'],
      [closings ? 2.5 : 0, 'mute-table'],
      [closings ? 2.5 : 0, 'unmute-table'],
      [closings && !isPaid ? 1 : 0, 'pay'],
      [closings && isPaid ? 1 : 0, 'lapse'],
      [closings ? buttonShare() : 0, 'make-button'],
      [shifts ? 2.5 : 0, 'hand-over'],
      [shifts ? 1.5 : 0, 'assign-section'],
      [shifts ? 2 : 0, 'set-pin'],
      [shifts ? guessShare() : 0, 'guess-pin'],
      [shifts ? 1.5 : 0, 'manage'],
      [shifts ? 0.8 : 0, 'end-manager'],
    ] as const)
    switch (kind) {
      case 'tap':
        return { do: kind, ...newTap(), ...network() }
      case 'retry':
        return { do: kind, phone: who() }
      case 'cancel':
      case 'still-waiting':
      case 'reload':
        return { do: kind, phone: who(), which: who(), ...network() }
      case 'act':
        return { do: kind, ...tabletAct() }
      case 'intrude':
        return { do: kind, phone: who(), act: crewAct(), which: who() }
      case 'at-once':
        return {
          do: kind,
          taps: some(3, newTap),
          cancels: some(1, () => ({ phone: who(), which: who() })),
          acts: some(3, tabletAct),
        }
      case 'connect':
      case 'cut':
      case 'freeze':
      case 'thaw':
        return { do: kind, screen: who() }
      case 'leave':
        return { do: kind, tablet: who(), forMs: chance.between(12_000, 40_000) }
      case 'add-crew':
      case 'add-table':
      case 'remove-crew':
      case 'revoke':
        return { do: kind, which: who() }
      case 'push-fails':
        return { do: kind, device: who(), answer: pushAnswer() }
      case 'stop':
      case 'kill':
        return { do: kind, which: who(), afterTurns: chance.index(12), taps: some(3, newTap) }
      case 'lose-broker':
        return {
          do: kind,
          forMs: chance.between(100, chance.isLucky(0.5) ? 2_000 : 15_000),
          signedOut: chance.isLucky(0.4) ? who() : null,
        }
      case 'move-party':
        return { do: kind, phone: moving(), tablet: who(), to: who(), id: chance.uuid() }
      case 'undo-move':
        return { do: kind, tablet: who(), which: who() }
      case 'correct-table':
        return { do: kind, phone: who(), to: who(), scans: chance.isLucky(0.5) }
      case 'new-session':
        return { do: kind, phone: who() }
      case 'set-hours':
        hours = newHours(hours)
        return { do: kind, hours }
      case 'pause':
        return {
          do: kind,
          needs: chance.isLucky(0.3) ? pausable : [pausable[chance.index(2)] ?? 'check'],
          minutes: chance.between(1, 2),
        }
      case 'resume':
        return { do: kind, need: pausable[chance.index(2)] ?? 'check' }
      case 'mute-table': {
        const forMs = chance.isLucky(0.5) ? chance.between(1_000, 20_000) : null
        return { do: kind, tablet: who(), table: who(), forMs }
      }
      case 'unmute-table':
        return { do: kind, tablet: who(), table: who() }
      case 'pay':
      case 'lapse':
        isPaid = kind === 'pay'
        return { do: kind }
      case 'make-button':
        return { do: kind, table: who() }
      case 'hand-over':
        return { do: kind, tablet: who(), to: chance.isLucky(0.4) ? null : who() }
      case 'assign-section':
        return { do: kind, section: who(), tablet: chance.isLucky(0.2) ? null : who() }
      case 'set-pin':
        return {
          do: kind,
          tablet: who(),
          pin: chance.isLucky(0.3) ? null : `${chance.between(1_000, 9_999)}`,
        }
      case 'guess-pin':
        return { do: kind, tablet: who(), of: who() }
      case 'manage':
        return { do: kind }
      case 'end-manager':
        return {
          do: kind,
          how: chance.pick([
            [1, 'sign-out'],
            [1, 'password'],
            [1, 'removal'],
          ] as const),
        }
      default:
        throw new Error(`No such step: ${String(kind)}`)
    }
  }

  function newHours(before: HoursKind): HoursKind {
    return chance.pick([
      [before === 'always' ? 0 : 4, 'always'],
      [1, 'from-evening'],
      [1, 'from-next-minute'],
      [1, 'until-next-minute'],
    ] as const)
  }

  function some<T>(most: number, create: () => T): T[] {
    return Array.from({ length: chance.index(most + 1) }, create)
  }

  function newTap(): NewTap {
    return { phone: who(), id: chance.uuid(), serviceType: asked[chance.index(asked.length)] ?? 'general' }
  }

  function network(): { loss: Loss; lateMs: number } {
    const loss = chance.isLucky(lossShare)
      ? chance.pick([
          [1, 'call'],
          [1, 'answer'],
          [1, 'late'],
        ] as const)
      : 'none'
    return { loss, lateMs: loss === 'late' ? chance.between(200, 8_000) : 0 }
  }

  function tabletAct(): TabletAct {
    return { tablet: who(), act: crewAct(), which: who() }
  }

  function crewAct(): CrewAct {
    return chance.pick([
      [3, 'accept-request'],
      [1, 'release-request'],
      [3, 'complete-request'],
      [4, 'reopen-request'],
      [2, 'requests-seen'],
    ] as const)
  }

  function pushAnswer() {
    return chance.pick([
      [4, 'failed'],
      [1, 'gone'],
      [2, 'slow'],
    ] as const)
  }
}
