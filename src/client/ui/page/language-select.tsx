import Languages from 'lucide-react/icons/languages'
import type { JSX } from 'react'
import { chooseLanguage, listLanguages } from '../../lib/texts/catalogue.ts'
import { t } from '../../lib/texts/translate.ts'
import { SelectField } from '../form/select-field.tsx'

/** The language of this device, by the languages' own names. Null where the installation has only English. */
export function LanguageSelect(): JSX.Element | null {
  const languages = listLanguages()
  if (languages.length === 1) return null
  return (
    <SelectField
      label={
        <span className="flex items-center gap-2">
          <Languages aria-hidden size={20} className="shrink-0" />
          {t('Language')}
        </span>
      }
      value={document.documentElement.lang}
      onChange={({ target }) => void chooseLanguage(target.value).then(() => location.reload())}
    >
      {languages.map(({ tag, name }) => (
        <option key={tag} value={tag} lang={tag}>
          {name}
        </option>
      ))}
    </SelectField>
  )
}
