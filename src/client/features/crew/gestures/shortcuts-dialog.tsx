import { type JSX, useState } from 'react'
import { removeStored, getStored, setStored } from '../../../lib/browser/browser-storage.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Dialog } from '../../../ui/dialogs/dialog.tsx'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { shortcutList } from './shortcuts.ts'

type ShortcutsDialogProps = { open: boolean; onOpenChange: (open: boolean) => void }

/** Single-key shortcuts can be triggered by speech input or by accident, so they can be turned off. */
export function ShortcutsDialog(props: ShortcutsDialogProps): JSX.Element {
  const [on, setOn] = useState(() => getStored('shortcuts') !== 'off')
  return (
    <Dialog tapFirst title={t('Keyboard shortcuts')} {...props}>
      <dl className="grid grid-cols-[auto_1fr] items-center gap-x-6 gap-y-2">
        {shortcutList.map(({ keys, does }) => (
          <div key={does} className="contents">
            <dt className="flex gap-1">
              {keys.map((key) => (
                <kbd
                  key={key}
                  className="inline-grid min-w-9 place-items-center rounded-md border border-rule-strong px-2 py-0.5 font-sans"
                >
                  {key}
                </kbd>
              ))}
            </dt>
            <dd>{t(does)}</dd>
          </div>
        ))}
      </dl>
      <Checkbox
        label={t('Use keyboard shortcuts')}
        checked={on}
        onChange={({ target: { checked } }) => {
          setOn(checked)
          if (checked) removeStored('shortcuts')
          else setStored('shortcuts', 'off')
        }}
      />
    </Dialog>
  )
}
