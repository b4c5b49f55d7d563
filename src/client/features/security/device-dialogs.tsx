import type { JSX } from 'react'
import { DeviceChange, type SignedInDevice } from '#contract/accounts/devices.ts'
import { api } from '#contract/api.ts'
import { parse } from '#contract/parse.ts'
import { call } from '../../api/http.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { RemoveDialog } from '../../ui/dialogs/remove-dialog.tsx'
import type { DialogState } from '../../ui/dialogs/use-dialog.ts'
import { Field } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import { deviceName } from './device-name.ts'
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
      title={t('Rename {name}', { name: deviceName(device.name) })}
      open
      onOpenChange={onClose}
      actions={
        <>
          <Button onClick={onClose}>{t('Cancel')}</Button>
          <Button type="submit" form="rename-device" variant="primary" pending={form.busy}>
            {t('Save')}
          </Button>
        </>
      }
    >
      <form {...form.props} id="rename-device">
        <Field label={t('Name')} autoComplete="off" maxLength={40} {...form.field('name')} />
      </form>
    </Dialog>
  )
}

type SignOutDeviceProps = { dialog: DialogState<SignedInDevice>; finalFocus: () => HTMLElement | null }

export function SignOutDevice({ dialog, finalFocus }: SignOutDeviceProps): JSX.Element {
  const [, change] = useChange()
  return (
    <RemoveDialog
      dialog={dialog}
      title={t('Sign out {name}?', { name: deviceName(dialog.subject?.name ?? '') })}
      description={t(
        'Its screen closes and no alerts come to it any more, at once. Everybody who is signed in there is signed out.',
      )}
      confirmLabel={t('Sign out this device')}
      remove={({ id, name }) =>
        change({
          send: async () => await call(api.devices.signOut, { params: { id } }),
          successMessage: t('{name} was signed out', { name: deviceName(name) }),
          errorMessage: 'The device could not be signed out',
          refreshes: [api.devices.list, api.sessions.list],
        })
      }
      finalFocus={finalFocus}
    />
  )
}
