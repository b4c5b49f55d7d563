import { t } from '../../lib/texts/translate.ts'
import { formatDate } from '../../lib/time/dates.ts'
import { deviceName } from './device-name.ts'

type SignedIn = { name: string; signedInAt: number }

export const whenText = (at: number): string => formatDate(at, { dateStyle: 'medium', timeStyle: 'short' })

export const signedInText = (at: number): string => t('signed in on {date}', { date: whenText(at) })

/** Whether several have the same name, as those have that nobody has named. */
export const hasNamesake = (name: string, all: readonly SignedIn[]): boolean =>
  all.filter((other) => other.name === name).length > 1

/** For buttons, which are read without what stands beside them. */
export const uniqueName = ({ name, signedInAt }: SignedIn, all: readonly SignedIn[]): string =>
  hasNamesake(name, all) ? `${deviceName(name)}, ${signedInText(signedInAt)}` : deviceName(name)
