import type { JSX } from 'react'
import { DeviceChange, type SignedInDevice } from '#contract/devices.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../api/http.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, type DialogState } from '../../ui/confirm-dialog.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { Field } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { useChange } from './use-change.ts'

type DeviceDialogProps = { device: SignedInDevice; onClose: () => void }

export function RenameDevice({ device, onClose }: DeviceDialogProps): JSX.Element {
  const [, change] = useChange()

  const form = useForm({
    initial: { name: device.name },
    parse: (values) => parse(DeviceChange, values),
    async submit(body) {
      const saved = await change({
        send: async () => await call(api.devices.rename, { params: { id: device.id }, body }),
        successMessage: 'Device renamed',
        errorMessage: 'The device could not be renamed',
        refreshes: [api.devices.list],
      })
      if (saved) onClose()
    },
    inline: true,
  })

  return (
    <Dialog
      title={`Rename ${device.name}`}
      open
      onOpenChange={onClose}
      actions={
        <>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" form="rename-device" variant="primary" pending={form.busy}>
            Save
          </Button>
        </>
      }
    >
      <form {...form.props} id="rename-device">
        <Field label="Name" autoComplete="off" maxLength={40} {...form.field('name')} />
      </form>
    </Dialog>
  )
}

type SignOutDeviceProps = { dialog: DialogState<SignedInDevice>; finalFocus: () => HTMLElement | null }

export function SignOutDevice({ dialog, finalFocus }: SignOutDeviceProps): JSX.Element {
  const { subject: device, isOpen, close } = dialog
  const [busy, change] = useChange()

  async function signOut({ id, name }: SignedInDevice): Promise<void> {
    await change({
      send: async () => await call(api.devices.signOut, { params: { id } }),
      successMessage: `${name} was signed out`,
      errorMessage: 'The device could not be signed out',
      refreshes: [api.devices.list, api.sessions.list],
    })
    close()
  }

  return (
    <ConfirmDialog
      title={`Sign out ${device?.name ?? ''}?`}
      description="Its screen closes and no alerts come to it any more, at once. Everybody who is signed in there is signed out."
      open={isOpen}
      confirmLabel="Sign out this device"
      danger
      pending={busy}
      onConfirm={() => device && void signOut(device)}
      onCancel={close}
      finalFocus={finalFocus}
    />
  )
}
