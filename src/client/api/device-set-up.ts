import { api } from '#contract/api.ts'
import { useFreshRead, useWrite } from './queries.ts'

type DeviceSetUp = {
  /** In words. */
  day: string
  dismiss: () => void
}

/** That a device, not the owner, set up the first manager. Null where that is not so, or was put aside. */
export function useDeviceSetUp(): DeviceSetUp | null {
  const { data } = useFreshRead(api.managers.currentUser, {})
  const { mutate } = useWrite(api.managers.dismissNotice, api.managers.currentUser)
  if (data?.deviceSetUpAt === undefined) return null
  const day = new Intl.DateTimeFormat(undefined, { dateStyle: 'long' }).format(data.deviceSetUpAt)
  return { day, dismiss: () => mutate({}) }
}
