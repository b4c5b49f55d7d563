import Eye from 'lucide-react/icons/eye'
import EyeOff from 'lucide-react/icons/eye-off'
import { type JSX, useState } from 'react'
import { t } from '../../lib/texts/translate.ts'
import { IconButton } from '../button.tsx'
import { controlClass, FieldFrame, type FieldProps } from './field.tsx'
import { PasswordStrengthMeter } from './password-strength-meter.tsx'

type PasswordFieldProps = Omit<FieldProps, 'type'> & {
  /** Where a password is chosen: says how strong it is while it is typed. */
  strength?: boolean
}

/** The toggle stands outside the label, so the control is named by its label alone. */
export function PasswordField({
  label,
  labelHidden,
  hint,
  error,
  id,
  strength = false,
  onInput,
  ...rest
}: PasswordFieldProps): JSX.Element {
  const [shown, setShown] = useState(false)
  const [typed, setTyped] = useState('')
  const Icon = shown ? EyeOff : Eye
  return (
    <FieldFrame {...{ label, labelHidden, hint, error, id }}>
      {(wiring) => (
        <>
          <div className="relative">
            <input
              autoCapitalize="none"
              autoCorrect="off"
              spellCheck={false}
              {...rest}
              {...wiring}
              onInput={(event) => {
                setTyped(event.currentTarget.value)
                onInput?.(event)
              }}
              type={shown ? 'text' : 'password'}
              className={`${controlClass} pe-(--control)`}
            />
            <span className="absolute inset-y-0 inset-e-0 grid place-items-center">
              <IconButton
                label={t(shown ? 'Hide password' : 'Show password')}
                onClick={() => setShown(!shown)}
              >
                {/* It grows with the text, but not every button does. */}
                <Icon aria-hidden className="max-h-4/5 max-w-4/5" />
              </IconButton>
            </span>
          </div>
          {strength && (
            <PasswordStrengthMeter password={rest.value === undefined ? typed : String(rest.value)} />
          )}
        </>
      )}
    </FieldFrame>
  )
}
