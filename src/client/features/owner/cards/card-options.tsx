import { type JSX, useState } from 'react'
import { api } from '#contract/api.ts'
import { useFreshApiQuery } from '../../../api/queries.ts'
import { cardTexts, isCardLanguage } from '../../../lib/texts/card-texts.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Checkbox } from '../../../ui/form/checkbox.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { SelectField } from '../../../ui/form/select-field.tsx'
import type { CardExtras } from './card-formats.ts'
import { readLogo } from './kept-logo.ts'

type CardOptionsProps = { extras: CardExtras; onChange: (change: Partial<CardExtras>) => void }

/** What every card has: its language, a logo, which stays on the device, and the Wi-Fi of the guest card. */
export function CardOptions({ extras, onChange }: CardOptionsProps): JSX.Element {
  const { language, logo, wifi } = extras
  const { data: guestCard } = useFreshApiQuery(api.guestCard.state, {})
  const [problem, setProblem] = useState<string | null>(null)
  /** Another one empties the file field. */
  const [attempt, setAttempt] = useState(0)

  async function chooseLogo(file: File): Promise<void> {
    setProblem(null)
    try {
      onChange({ logo: await readLogo(file) })
    } catch {
      setProblem('The browser cannot show this file as a picture.')
    }
  }

  return (
    <div className="grid grid-cols-1 items-start gap-4 sm:grid-cols-2">
      <div className="flex min-w-0 flex-col gap-3">
        <Field
          key={attempt}
          label={t('Logo (optional)')}
          hint={t('It is printed with the name of the restaurant, and kept on this device only.')}
          error={problem}
          type="file"
          accept="image/*"
          onChange={({ target }) => {
            const [file] = target.files ?? []
            if (file) void chooseLogo(file)
          }}
        />
        {logo !== null && (
          <div className="flex flex-wrap items-center gap-3">
            <img src={logo} alt={t('Logo')} className="chosen-logo" />
            <Button
              onClick={() => {
                onChange({ logo: null })
                setAttempt(attempt + 1)
              }}
            >
              {t('Remove Logo')}
            </Button>
          </div>
        )}
      </div>
      <div className="flex min-w-0 flex-col gap-3">
        <SelectField
          label={t('Language of the cards')}
          value={language}
          onChange={({ target }) => isCardLanguage(target.value) && onChange({ language: target.value })}
        >
          {Object.entries(cardTexts).map(([tag, { name }]) => (
            <option key={tag} value={tag} lang={tag}>
              {name}
            </option>
          ))}
        </SelectField>
        {guestCard && guestCard.wifiName !== '' && (
          <Checkbox
            label={t('Print the Wi-Fi')}
            checked={wifi !== null}
            onChange={({ target }) =>
              onChange({
                wifi: target.checked ? { name: guestCard.wifiName, password: guestCard.wifiPassword } : null,
              })
            }
          />
        )}
      </div>
    </div>
  )
}
