import Plus from 'lucide-react/icons/plus'
import { type JSX, type RefObject, useState } from 'react'
import type { NewDeviceCode, SignedInDevice } from '#contract/accounts/devices.ts'
import { api } from '#contract/api.ts'
import { call, errorMessage } from '../../api/http.ts'
import { useFreshApiQuery } from '../../api/queries.ts'
import { useFocusAfterRemoval } from '../../lib/hooks/use-focus-after-removal.ts'
import { useFocusOnClose } from '../../lib/hooks/use-focus-on-close.ts'
import { useTask } from '../../lib/hooks/use-task.ts'
import { t } from '../../lib/texts/translate.ts'
import { useNow } from '../../lib/time/use-now.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'
import { LoadingOrError } from '../../ui/page/load-error.tsx'
import { useFold } from '../../ui/page/use-fold.tsx'
import { useErrorToast } from '../../ui/toast/toast.tsx'
import { DeviceCode } from './device-code.tsx'
import { RenameDevice, SignOutDevice } from './device-dialogs.tsx'
import { deviceName } from './device-name.ts'
import { lastUsedText } from './last-used-text.ts'
import { ListRow } from './list-row.tsx'
import { hasNamesake, uniqueName, whenText } from './signed-in-text.ts'

/** More are shown on demand. */
const maxShown = 4

/** Every tablet and phone of the crew: how it signed in, when it was used last, and how to sign it out. */
export function DevicesCard({ isOwner }: { isOwner: boolean }): JSX.Element {
  const { data, isError, refetch } = useFreshApiQuery(api.devices.list, {})
  const [renaming, setRenaming] = useState<SignedInDevice | null>(null)
  const signOut = useDialog<SignedInDevice>()
  const {
    container: listRef,
    markRemoved,
    nextControl,
  } = useFocusAfterRemoval<HTMLUListElement>(data ?? [], 'li button:last-child')

  function askToSignOut(device: SignedInDevice, index: number): void {
    markRemoved(device, index)
    signOut.open(device)
  }

  return (
    <Card
      title={t('Signed-in devices')}
      anchor="devices"
      description={t("Tablets, phones and computers that show your crew's screen")}
    >
      <NewDevice />
      {data ? (
        <Devices {...{ listRef, isOwner }} devices={data} rename={setRenaming} signOut={askToSignOut} />
      ) : (
        <LoadingOrError failed={isError} onRetry={refetch} />
      )}
      {renaming && <RenameDevice device={renaming} onClose={() => setRenaming(null)} />}
      <SignOutDevice dialog={signOut} finalFocus={nextControl} />
    </Card>
  )
}

function NewDevice(): JSX.Element {
  const [code, setCode] = useState<NewDeviceCode | null>(null)
  const [making, run] = useTask()
  const showError = useErrorToast()
  const opener = useFocusOnClose(code !== null)

  async function make(): Promise<void> {
    try {
      setCode(await call(api.devices.createCode))
    } catch (error) {
      showError(errorMessage(error, 'The code could not be made'))
    }
  }

  if (code)
    return (
      <DeviceCode
        key={code.id}
        code={code}
        making={making}
        onAnother={() => void run(make)}
        onClose={() => setCode(null)}
      />
    )
  return (
    <div>
      <Button
        ref={opener}
        variant="primary"
        icon={<Plus aria-hidden size={20} />}
        pending={making}
        onClick={() => void run(make)}
      >
        {t('Sign in a tablet or phone')}
      </Button>
    </div>
  )
}

type DevicesProps = {
  listRef: RefObject<HTMLUListElement | null>
  devices: readonly SignedInDevice[]
  isOwner: boolean
  rename: (device: SignedInDevice) => void
  signOut: (device: SignedInDevice, index: number) => void
}

function Devices({ listRef, devices, isOwner, rename, signOut }: DevicesProps): JSX.Element {
  const now = useNow(60_000)
  const { shown, toggle } = useFold(devices, maxShown)
  if (devices.length === 0) return <p className="text-text-mute">{t('No device is signed in.')}</p>
  return (
    <>
      <ul ref={listRef} aria-label={t('Devices')} className="flex flex-col divide-y divide-rule">
        {shown.map((device, index) => (
          <ListRow
            key={device.id}
            name={deviceName(device.name)}
            badges={
              device.isThisDevice ? (
                <Badge>{t('This device')}</Badge>
              ) : (
                device.isOwners && <Badge>{t('Owner')}</Badge>
              )
            }
            details={deviceDetails(device, devices, now)}
          >
            <div className="-mx-edge flex flex-wrap sm:mx-0">
              <Button
                variant="quiet"
                aria-label={t('Rename {name}', { name: uniqueName(device, devices) })}
                onClick={() => rename(device)}
              >
                {t('Rename')}
              </Button>
              {!device.isThisDevice && (isOwner || !device.isOwners) && (
                <Button
                  variant="quiet"
                  aria-label={t('Sign out {name}', { name: uniqueName(device, devices) })}
                  onClick={() => signOut(device, index)}
                >
                  {t('Sign out')}
                </Button>
              )}
            </div>
          </ListRow>
        ))}
      </ul>
      {toggle}
    </>
  )
}

const signInMethods: Record<SignedInDevice['via'], string> = {
  password: "signed in with the owner's password",
  'staff-password': 'signed in with the staff password',
  'device-code': 'signed in with a code',
  'demo-link': 'signed in by the demo link',
  'crew-login': 'signed in with their own login',
}

function deviceDetails(
  { name, browser, via, person, signedInAt, lastUsedAt, isAlertedOnly }: SignedInDevice,
  all: readonly SignedInDevice[],
  now: number,
): string {
  return [
    browser !== null && browser !== name && deviceName(browser),
    person,
    t(signInMethods[via]),
    hasNamesake(name, all) && whenText(signedInAt),
    isAlertedOnly ? t('only alerts come to it') : lastUsedText(lastUsedAt, now),
  ]
    .filter(Boolean)
    .join(' · ')
}
