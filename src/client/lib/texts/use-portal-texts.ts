import { useEffect, useState } from 'react'
import { addPortalTexts } from './catalogue.ts'
import { isEnglish } from './language.ts'

type Language = { lang?: 'en'; dir?: 'ltr' }
const pageLanguage: Language = {}
const english: Language = { lang: 'en', dir: 'ltr' }

/**
 * The language of what only owners and managers read on a screen of the crew: that of their portals; null while its
 * texts are loading.
 */
export function usePortalTexts(needed: boolean): Language | null {
  const [language, setLanguage] = useState<Language | null>(() => (isEnglish() ? pageLanguage : null))
  useEffect(() => {
    if (!needed || language) return
    addPortalTexts().then(
      (added) => setLanguage(added ? pageLanguage : english),
      () => setLanguage(english),
    )
  }, [needed, language])
  return language
}
