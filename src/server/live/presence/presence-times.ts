/**
 * All in milliseconds. Managers are alerted within 10 seconds of the last sign of the last screen: one that falls silent
 * takes `silentAfterMs`, a tick and `screenMoveGraceMs`; one that goes away takes `reloadGraceMs` instead of the first.
 */

/** How often it is looked who has fallen silent or has not come back. */
export const tickMs = 500
/** A staff screen not heard from for this long stops counting as listening: with the tick, within 7.5 seconds. */
export const silentAfterMs = 7_000
/** How long a screen may take to come back after a reload or a glance at another tab. */
export const reloadGraceMs = 2_000
/** How long screens that one node sent away may take to reach another. */
export const screenMoveGraceMs = 1_500
/** How long screens may take to find a restarted server, and other nodes to publish their screens. */
export const restartGraceMs = 8_000
/** A node that is silent for longer counts as gone, with its screens. */
export const nodeTimeoutMs = 12_000
/** How often managers are alerted again while guests keep sending requests and nobody listens. */
export const repeatAlarmMs = 10 * 60_000
