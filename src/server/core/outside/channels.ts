import {
  type AddedOutsideChannel,
  maxOutsideChannels,
  type NewOutsideChannel,
  type OutsideAlertDelayChange,
  type OutsideAlertSettings,
  type OutsideChannel,
  type OutsideChannelChange,
} from '#contract/outside/outside-alerts.ts'
import { type WebhookTopic, webhookTopicNames } from '#contract/outside/webhook-topics.ts'
import type { DeliveryOutcome } from '../../ports/outbound.ts'
import * as restaurants from '../../storage/accounts/restaurants.ts'
import type { Db } from '../../storage/engine/types.ts'
import * as outsideAlerts from '../../storage/outside/outside-alerts.ts'
import * as outsideChannels from '../../storage/outside/outside-channels.ts'
import * as outsideEvents from '../../storage/outside/outside-events.ts'
import { restaurantOf } from '../accounts/restaurants/restaurants.ts'
import { requireGrantStillValid } from '../accounts/sessions/sessions.ts'
import type { Actor } from '../actor.ts'
import * as audit from '../audit/audit.ts'
import { authorizeInRestaurant } from '../authorize.ts'
import type { Ctx } from '../ctx.ts'
import { conflict, invalid, notFound } from '../errors.ts'
import { codeLifetimeMs, consumeMailLimits, maxAttempts, proofOf, requireCode } from '../mailed-codes.ts'
import { mergeChange } from '../merge-change.ts'
import { read, write } from '../transaction.ts'
import { sendOutside, testMessage } from './messages.ts'
import { nextReportAt, sendReportNow } from './weekly-report.ts'

export async function settings(ctx: Ctx, actor: Actor): Promise<OutsideAlertSettings> {
  const { restaurantId } = authorizeInRestaurant(actor, 'outsideAlerts.settings')
  return loadSettings(read(ctx), restaurantId)
}

async function loadSettings(db: Db, restaurantId: string): Promise<OutsideAlertSettings> {
  const channels = await outsideChannels.list(db, restaurantId)
  return { afterMs: await outsideChannels.findDelay(db, restaurantId), channels: channels.map(toChannel) }
}

const toChannel = (row: outsideChannels.OutsideChannel): OutsideChannel => ({
  id: row.id,
  kind: row.kind,
  address: row.address,
  confirmed: row.confirmedAt !== null,
  alerts: row.getsAlerts === 1,
  weeklyReport: row.reportAt !== null,
  topics: webhookTopicNames.filter((topic) => row.topics?.split(' ').includes(topic)),
  last: row.lastAt === null ? null : { at: row.lastAt, problem: row.lastProblem },
})

/** Applies to requests that alert the manager from now on; turning it off, also to those that wait already. */
export async function setDelay(
  ctx: Ctx,
  actor: Actor,
  { afterMs: wanted, was }: OutsideAlertDelayChange,
): Promise<OutsideAlertSettings> {
  const { restaurantId } = authorizeInRestaurant(actor, 'outsideAlerts.setDelay')
  return write(ctx, async ({ db }) => {
    await restaurants.lock(db, restaurantId)
    const before = await outsideChannels.findDelay(db, restaurantId)
    const afterMs = was === undefined ? wanted : mergeChange(before, was, wanted)
    await outsideChannels.setDelay(db, restaurantId, afterMs)
    if (afterMs === null) await outsideAlerts.removeOpen(db, restaurantId)
    await audit.record(ctx, db, actor, restaurantId, 'outsideAlerts.setDelay', {
      after: afterMs === null ? 'never' : `${afterMs / 1000} s`,
    })
    return loadSettings(db, restaurantId)
  })
}

/** An email address gets no alerts until its owner has confirmed it with the code that is mailed to it. */
export async function addChannel(
  ctx: Ctx,
  actor: Actor,
  given: NewOutsideChannel,
): Promise<AddedOutsideChannel> {
  const { restaurantId } = authorizeInRestaurant(actor, 'outsideAlerts.addChannel')
  const { kind, address } = given
  if (kind === 'email') await consumeMailLimits(ctx, { restaurantId, address })
  else refuseUnreachable(ctx, address)
  const secret = secretOf(ctx, given)
  const channel = await write(ctx, async ({ db }) => {
    await requireGrantStillValid(ctx, db, actor, 'outsideAlerts.addChannel')
    // Two additions at once must not exceed the limit.
    await restaurants.lock(db, restaurantId)
    if ((await outsideChannels.count(db, restaurantId)) >= maxOutsideChannels)
      throw conflict(`There can be at most ${maxOutsideChannels} addresses`)
    const createdAt = ctx.now()
    await audit.record(ctx, db, actor, restaurantId, 'outsideAlerts.addChannel', describe(given))
    return outsideChannels.insert(db, {
      restaurantId,
      id: ctx.newId(),
      kind,
      address,
      secret,
      createdAt,
      confirmedAt: kind === 'email' ? null : createdAt,
    })
  })
  const shown = kind === 'webhook' ? secret : null
  if (kind !== 'email') return { channel: toChannel(channel), secret: shown }
  return { channel: toChannel(await mailCode(ctx, actor, channel)), secret: shown }
}

function refuseUnreachable(ctx: Ctx, address: string): void {
  const problem = ctx.outbound.problem(new URL(address))
  if (problem !== null) throw invalid(problem)
}

/** As Standard Webhooks writes it. */
const newWebhookSecret = (ctx: Ctx): string => `whsec_${ctx.secrets.newKey().toString('base64')}`

function secretOf(ctx: Ctx, given: NewOutsideChannel): string | null {
  if (given.kind === 'webhook') return newWebhookSecret(ctx)
  return given.kind === 'ntfy' ? given.token || null : null
}

/** The rest of a web address may be a secret. */
const describe = ({ kind, address }: Pick<OutsideChannel, 'kind' | 'address'>) => ({
  kind,
  to: kind === 'email' ? address : new URL(address).host,
})

/** Open alerts of a channel that gets none any more are left out by the sender. */
export async function changeChannel(
  ctx: Ctx,
  actor: Actor,
  { id, alerts, weeklyReport, topics: wanted, was }: { id: string } & OutsideChannelChange,
): Promise<OutsideChannel> {
  const { restaurantId } = authorizeInRestaurant(actor, 'outsideAlerts.changeChannel')
  const { timeZone } = await restaurantOf(read(ctx), actor)
  return write(ctx, async ({ db }) => {
    await restaurants.lock(db, restaurantId)
    const channel = await outsideChannels.find(db, restaurantId, id)
    if (!channel) throw notFound('Address')
    const topics = wanted && was ? mergeTopics(toChannel(channel).topics, was.topics, wanted) : wanted
    if (weeklyReport && channel.kind !== 'email') throw conflict('Only email addresses get the weekly report')
    if (topics?.length && channel.kind !== 'webhook') throw conflict('Only webhooks are told what happens')
    if (channel.confirmedAt === null) throw conflict('Please confirm this address first')
    const changed = await outsideChannels.change(db, channel, {
      ...(alerts !== undefined && { getsAlerts: alerts ? 1 : 0 }),
      // One that is due already stays due.
      ...(weeklyReport !== undefined && {
        reportAt: weeklyReport ? (channel.reportAt ?? nextReportAt(ctx.now(), timeZone)) : null,
      }),
      ...(topics !== undefined && {
        topics: topics.length === 0 ? null : [...new Set(topics)].join(' '),
        ...(channel.topics === null && { lookedUntil: outsideEvents.lookedUntilAt(ctx.now()) }),
      }),
    })
    if (!changed) throw notFound('Address')
    const before = toChannel(channel).topics
    const added = topics?.filter((topic) => !before.includes(topic)) ?? []
    await outsideEvents.passOver(db, channel, added, ctx.now())
    // With its lock: what is being found is stored before, or not at all.
    if (topics?.length === 0) await outsideEvents.removeOpen(db, { restaurantId, channelId: id })
    await audit.record(ctx, db, actor, restaurantId, 'outsideAlerts.changeChannel', {
      ...describe(channel),
      ...(alerts !== undefined && { alerts }),
      ...(weeklyReport !== undefined && { weeklyReport }),
      ...(topics !== undefined && { topics }),
    })
    return toChannel(changed)
  })
}

const mergeTopics = (now: WebhookTopic[], was: WebhookTopic[], wanted: WebhookTopic[]): WebhookTopic[] =>
  webhookTopicNames.filter((topic) =>
    wanted.includes(topic) === was.includes(topic) ? now.includes(topic) : wanted.includes(topic),
  )

export async function removeChannel(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'outsideAlerts.removeChannel')
  await write(ctx, async ({ db }) => {
    const removed = await outsideChannels.remove(db, restaurantId, id)
    if (!removed) throw notFound('Address')
    await audit.record(ctx, db, actor, restaurantId, 'outsideAlerts.removeChannel', describe(removed))
  })
}

export async function requireChannel(
  ctx: Ctx,
  restaurantId: string,
  id: string,
): Promise<outsideChannels.OutsideChannel> {
  const channel = await outsideChannels.find(read(ctx), restaurantId, id)
  if (!channel) throw notFound('Address')
  return channel
}

/** Mails another code, which replaces the one before. */
export async function sendCode(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<void> {
  const { restaurantId } = authorizeInRestaurant(actor, 'outsideAlerts.sendCode')
  const channel = await requireChannel(ctx, restaurantId, id)
  if (channel.confirmedAt !== null) throw conflict('This address is confirmed already')
  await consumeMailLimits(ctx, channel)
  const { lastProblem } = await mailCode(ctx, actor, channel)
  if (lastProblem !== null) throw conflict(`The email could not be sent. ${lastProblem}.`)
}

async function mailCode(
  ctx: Ctx,
  actor: Actor,
  channel: outsideChannels.OutsideChannel,
): Promise<outsideChannels.OutsideChannel> {
  const { id, address } = channel
  const { name } = await restaurantOf(read(ctx), actor)
  const digits = ctx.secrets.newDigits()
  const codeExpiresAt = ctx.now() + codeLifetimeMs
  await write(ctx, ({ db }) =>
    outsideChannels.setCode(db, channel, { codeProof: proofOf(ctx, purposeOf(id), digits), codeExpiresAt }),
  )
  const text = [
    `${digits} is the code that confirms this address for ${name}.`,
    'Alerts that nobody in the restaurant answers will come here, and weekly reports if its owner wants that. The code works for 30 minutes.',
    'If you did not expect it, do nothing: you will get nothing.',
  ].join('\n')
  const mail = { id: ctx.newId(), to: address, subject: `${name}: confirm this address`, text }
  const problem = (await ctx.mail?.send(mail))?.problem ?? null
  if (problem === null) return { ...channel, lastProblem: null }
  ctx.log.warn({ channel: id, problem }, 'could not mail a code')
  return (
    (await write(ctx, ({ db }) => outsideChannels.recordOutcome(db, channel, { at: ctx.now(), problem }))) ??
    channel
  )
}

const purposeOf = (id: string): string => `outside-channel|${id}`

export async function confirmChannel(
  ctx: Ctx,
  actor: Actor,
  { id, code }: { id: string; code: string },
): Promise<OutsideChannel> {
  const { restaurantId } = authorizeInRestaurant(actor, 'outsideAlerts.confirmChannel')
  const { confirmedAt } = await requireChannel(ctx, restaurantId, id)
  if (confirmedAt !== null) throw conflict('This address is confirmed already')
  const counted = await write(ctx, ({ db }) =>
    outsideChannels.countAttempt(db, { restaurantId, id }, maxAttempts, ctx.now()),
  )
  const tried = requireCode(ctx, counted, purposeOf(id), code)
  await write(ctx, async ({ db }) => {
    if (!(await outsideChannels.confirm(db, tried, ctx.now()))) throw conflict('Please get a new code')
    await audit.record(ctx, db, actor, restaurantId, 'outsideAlerts.confirmChannel', describe(tried))
  })
  return toChannel(await requireChannel(ctx, restaurantId, id))
}

/** Waits for the outcome, which the reply tells. */
export async function sendTest(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<OutsideChannel> {
  const { restaurantId } = authorizeInRestaurant(actor, 'outsideAlerts.sendTest')
  const channel = await requireChannel(ctx, restaurantId, id)
  if (channel.confirmedAt === null) throw conflict('Please confirm this address first')
  await ctx.limits.take('outside-test', restaurantId)
  const { name: restaurantName } = await restaurantOf(read(ctx), actor)
  const at = ctx.now()
  const outcome = await sendOutside(ctx, channel, testMessage({ id: ctx.newId(), at, restaurantName }))
  return recordOutcome(ctx, channel, outcome)
}

/** Mails last week's report at once, and waits for the outcome as well. */
export async function sendReport(ctx: Ctx, actor: Actor, { id }: { id: string }): Promise<OutsideChannel> {
  const { restaurantId } = authorizeInRestaurant(actor, 'outsideAlerts.sendReport')
  const channel = await requireChannel(ctx, restaurantId, id)
  if (channel.reportAt === null) throw conflict('This address does not get the weekly report')
  await ctx.limits.take('outside-test', restaurantId)
  const { mail } = ctx
  if (mail === null) throw conflict('This server sends no email any more')
  const restaurant = await restaurantOf(read(ctx), actor)
  return recordOutcome(ctx, channel, await sendReportNow(ctx, mail, channel.address, restaurant))
}

async function recordOutcome(
  ctx: Ctx,
  channel: outsideChannels.OutsideChannel,
  { problem }: DeliveryOutcome,
): Promise<OutsideChannel> {
  const recorded = await write(ctx, ({ db }) =>
    outsideChannels.recordOutcome(db, channel, { at: ctx.now(), problem }),
  )
  if (!recorded) throw notFound('Address')
  return toChannel(recorded)
}
