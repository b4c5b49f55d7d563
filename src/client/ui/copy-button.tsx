import Copy from 'lucide-react/icons/copy'
import type { JSX, ReactNode } from 'react'
import { t } from '../lib/texts/translate.ts'
import { Button } from './button.tsx'
import { useErrorToast, useToast } from './toast/toast.tsx'

export function CopyButton({ text, children }: { text: string; children: ReactNode }): JSX.Element {
  const { toast } = useToast()
  const showError = useErrorToast()
  async function copy(): Promise<void> {
    try {
      await navigator.clipboard.writeText(text)
      toast({ title: t('Copied') })
    } catch {
      showError('Please select the text and copy it.')
    }
  }
  return (
    <Button icon={<Copy aria-hidden size={20} />} onClick={() => void copy()}>
      {children}
    </Button>
  )
}
