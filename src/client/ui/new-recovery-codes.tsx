import { type JSX, useEffect, useId, useRef } from 'react'
import { removeStored, setStored } from '../lib/browser/browser-storage.ts'
import { download } from '../lib/browser/download.ts'
import { t } from '../lib/texts/translate.ts'
import { Button } from './button.tsx'
import { Notice } from './page/notice.tsx'
import './recovery-codes.css'
import { useErrorToast, useToast } from './toast/toast.tsx'

type NewRecoveryCodesProps = { codes: string[]; restaurantName: string; onDone: () => void }

/** The only time the codes are shown. This browser remembers until they are saved. */
export function NewRecoveryCodes({ codes, restaurantName, onDone }: NewRecoveryCodesProps): JSX.Element {
  const { toast } = useToast()
  const showError = useErrorToast()
  const title = useId()
  const heading = useRef<HTMLHeadingElement>(null)
  useEffect(() => {
    setStored('unsaved-recovery-codes', restaurantName)
    // Wherever they are shown first, they are no longer to be offered after the sign-up.
    removeStored('signedUp')
    heading.current?.focus()
  }, [restaurantName])
  const name = t('Recovery codes for {restaurant}', { restaurant: restaurantName })
  const text = `${name}\n${t('Each works once.')}\n\n${codes.join('\n')}\n`

  function saved(): void {
    removeStored('unsaved-recovery-codes')
    onDone()
  }

  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      toast({ title: t('Copied'), description: t('Paste the codes where only you can find them.') })
    } catch {
      showError('Please select the codes and copy them.')
    }
  }

  return (
    <>
      <Notice tone="plain">
        {t(
          'They are shown only this once. Keep them where you can find them and nobody else can: printed in a safe, or in a password manager.',
        )}
      </Notice>
      <section data-recovery-codes aria-labelledby={title}>
        <h3 id={title} ref={heading} tabIndex={-1} className="text-lg wrap-anywhere outline-none">
          {name}
        </h3>
        <ol className="mt-3 grid gap-x-8 gap-y-2 sm:grid-cols-2">
          {codes.map((code) => (
            <li key={code} className="text-lg tracking-wide max-[22rem]:text-base">
              {code}
            </li>
          ))}
        </ol>
      </section>
      <div className="flex flex-wrap gap-3">
        <Button onClick={() => void copy()}>{t('Copy')}</Button>
        <Button
          onClick={() =>
            download(
              `data:text/plain;charset=utf-8,${encodeURIComponent(text)}`,
              'tableside-recovery-codes.txt',
            )
          }
        >
          {t('Download')}
        </Button>
        <Button onClick={() => print()}>{t('Print')}</Button>
        <Button variant="primary" onClick={saved}>
          {t('I Saved Them')}
        </Button>
      </div>
    </>
  )
}
