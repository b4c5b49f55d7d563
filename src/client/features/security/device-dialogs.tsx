import { type JSX, useState } from 'react'
import { DeviceChange, type SignedInDevice } from '#contract/devices.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../api/http.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/form/field.tsx'
import { useChange } from './use-change.ts'

type DeviceDialogProps = { device: SignedInDevice; onClose: () => void }

export function RenameDevice({ device, onClose }: DeviceDialogProps): JSX.Element {
  const [name, setName] = useState(device.name)
  const [problem, setProblem] = useState<string | null>(null)
  const [busy, change] = useChange()

  async function save(): Promise<void> {
    const checked = parse(DeviceChange, { name })
    if (!checked.ok) return setProblem(checked.message)
    const saved = await change({
      send: async () => await call(api.devices.rename, { params: { id: device.id }, body: checked.value }),
      successMessage: 'Device renamed',
      errorMessage: 'The device could not be renamed',
      refreshes: [api.devices.list],
    })
    if (saved) onClose()
  }

  return (
    <Dialog
      title={`Rename ${device.name}`}
      open
      onOpenChange={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="rename-device" variant="primary" pending={busy}>
            Save
          </Button>
        </>
      }
    >
      <form
        id="rename-device"
        noValidate
        onSubmit={(event) => {
          event.preventDefault()
          void save()
        }}
      >
        <Field
          label="Name"
          autoComplete="off"
          maxLength={40}
          value={name}
          onChange={({ target }) => {
            setName(target.value)
            setProblem(null)
          }}
          error={problem}
        />
      </form>
    </Dialog>
  )
}

type SignOutDeviceProps = {
  /** Null while it is not asked. */
  device: SignedInDevice | null
  onClose: () => void
  finalFocus: () => HTMLElement | null
}

export function SignOutDevice({ device, onClose, finalFocus }: SignOutDeviceProps): JSX.Element {
  const [busy, change] = useChange()

  async function signOut({ id, name }: SignedInDevice): Promise<void> {
    await change({
      send: async () => await call(api.devices.signOut, { params: { id } }),
      successMessage: `${name} was signed out`,
      errorMessage: 'The device could not be signed out',
      refreshes: [api.devices.list, api.sessions.list],
    })
    onClose()
  }

  return (
    <Dialog
      title={`Sign out ${device?.name ?? ''}?`}
      description="Its screen closes and no alerts come to it any more, at once. Everybody who is signed in there is signed out."
      open={device !== null}
      onOpenChange={onClose}
      finalFocus={finalFocus}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button variant="danger" pending={busy} onClick={() => device && void signOut(device)}>
            Sign out this device
          </Button>
        </>
      }
    />
  )
}
