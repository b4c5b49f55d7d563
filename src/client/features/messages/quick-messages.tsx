import Zap from 'lucide-react/icons/zap'
import type { JSX } from 'react'
import type { CrewRole } from '#contract/crew/crew.ts'
import { roleCategories, type QuickMessageKey, quickMessages } from '#contract/crew/messages.ts'
import { keysOf } from '#contract/keys-of.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialogs/dialog.tsx'
import { useDialog } from '../../ui/dialogs/use-dialog.ts'

type QuickMessagesProps = {
  role: CrewRole
  /** The recipient. */
  to: string
  onPick: (key: QuickMessageKey, label: string) => void
}

/** All canned messages by category; those of the crew member's own role come first. */
export function QuickMessages({ role, to, onPick }: QuickMessagesProps): JSX.Element {
  const dialog = useDialog()
  const ownCategories = roleCategories[role]
  const otherCategories = keysOf(quickMessages).filter((category) => !ownCategories.includes(category))
  const categories = [...ownCategories, ...otherCategories]
  return (
    <Dialog
      tapFirst
      title={t('Quick messages')}
      description={t('To {name}', { name: to })}
      {...dialog.props}
      trigger={<Button icon={<Zap aria-hidden size={20} />}>{t('Quick messages')}</Button>}
    >
      {categories.map((category) => (
        <section key={category} aria-label={t(category)} className="flex flex-col gap-2">
          <h3 className="text-base font-semibold text-text-mute">{t(category)}</h3>
          <div className="grid gap-2 sm:grid-cols-2">
            {Object.entries(quickMessages[category]).map(([key, label]) => (
              <Button
                key={key}
                variant="plate"
                onClick={() => {
                  dialog.close()
                  if (isQuickMessageKey(key)) onPick(key, label)
                }}
              >
                {t(label)}
              </Button>
            ))}
          </div>
        </section>
      ))}
    </Dialog>
  )
}

const isQuickMessageKey = (key: string): key is QuickMessageKey =>
  keysOf(quickMessages).some((name) => key in quickMessages[name])
