import { type JSX, useId } from 'react'
import { t } from '../../../lib/texts/translate.ts'
import { Checkbox } from '../../../ui/form/checkbox.tsx'

/** The visible part only: the server does not rely on it. */
export function RobotCheckbox({ error }: { error: string | undefined }): JSX.Element {
  const id = useId()
  return (
    <div>
      <Checkbox
        name="robot"
        label={t('I am not a robot')}
        aria-invalid={error ? true : undefined}
        aria-describedby={error ? id : undefined}
      />
      <p id={id} aria-live="polite" className="font-semibold text-late">
        {error && t(error)}
      </p>
    </div>
  )
}
