import { api } from '#contract/api.ts'
import {
  initialRequestsState,
  requestsReducer,
} from '../../src/client/features/crew/requests/requests-reducer.ts'
import { Device } from '../device.ts'
import type { Server } from '../server.ts'
import type { VirtualTime } from '../virtual-time.ts'
import type { Browser } from '../wire.ts'
import { confirmOwner } from './owner.ts'

/** The manager's page, which shows what the crew's screens show. Nobody listens there. */
export class Manager extends Device {
  readonly kind = 'manager'
  readonly username = 'floor'
  /** Null once the owner has removed the manager. */
  id: string | null = null
  /** The one that works now. */
  password = ''
  /** Whether the login with which it signed in last still counts. */
  mayManage = false
  list = initialRequestsState
  /** What only managers may do, and how it was answered. Checked once. */
  readonly calls: { mayManage: boolean; status: number }[] = []
  #restaurant: string
  #now: () => number

  constructor(browser: Browser, restaurant: string, now: () => number) {
    super(browser)
    this.#restaurant = restaurant
    this.#now = now
  }

  async signIn(): Promise<void> {
    if (this.mayManage) return
    const { username, password } = this
    await this.browser.ok(api.managers.login, {
      body: { restaurantName: this.#restaurant, username, password },
    })
    this.mayManage = true
  }

  async manage(): Promise<void> {
    const { mayManage } = this
    const { status } = await this.browser.call(api.opening.state, {})
    this.calls.push({ mayManage, status })
  }

  async connect(): Promise<void> {
    if (this.isConnected) return
    this.list = initialRequestsState
    const channel = await this.open((message) => {
      this.list = requestsReducer(this.list, message, this.#now())
      if (message.type === 'pending-requests') this.isWhole = true
    })
    await channel.request({ type: 'listening', sound: false, push: false, visible: false })
    await channel.request({ type: 'set-restaurant-context', restaurantId: this.#restaurant })
    await channel.request({ type: 'get-pending-requests' })
  }
}

/** The restaurant, as far as a manager’s login depends on it. */
type Workplace = { owner: Browser; id: string; world: { server: Server; time: VirtualTime } }

/** Each password is another one. */
async function setPassword({ owner, id, world }: Workplace, manager: Manager): Promise<void> {
  await confirmOwner(owner)
  const password = `violet-harbour-${world.time.now()}`
  const { username } = manager
  await owner.ok(api.managers.setCredentials, { body: { username, password } })
  const { id: managerId } = await world.server.app.ctx.db.reader
    .selectFrom('manager')
    .select('id')
    .where('restaurantId', '=', id)
    .executeTakeFirstOrThrow()
  Object.assign(manager, { password, id: managerId })
}

/** The owner adds the manager again first, after a removal. */
export async function signInManager(workplace: Workplace, manager: Manager): Promise<void> {
  if (manager.id === null) await setPassword(workplace, manager)
  await manager.signIn()
}

export async function endManager(
  workplace: Workplace,
  manager: Manager,
  how: 'sign-out' | 'password' | 'removal',
): Promise<void> {
  const { owner } = workplace
  if (manager.id === null) return
  const params = { id: manager.id }
  if (how === 'sign-out') await owner.ok(api.managers.signOut, { params })
  else if (how === 'password') await setPassword(workplace, manager)
  else {
    await confirmOwner(owner)
    await owner.ok(api.managers.remove, { params })
    manager.id = null
  }
  manager.mayManage = false
}
