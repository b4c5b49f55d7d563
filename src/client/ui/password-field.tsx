import Eye from 'lucide-react/icons/eye'
import EyeOff from 'lucide-react/icons/eye-off'
import { type JSX, useState } from 'react'
import { IconButton } from './button.tsx'
import { controlClass, FieldFrame, type FieldProps } from './field.tsx'

type PasswordFieldProps = Omit<FieldProps, 'type'>

/** The toggle stands outside the label, so the control is named by its label alone. */
export function PasswordField({
  label,
  labelHidden,
  hint,
  error,
  id,
  ...rest
}: PasswordFieldProps): JSX.Element {
  const [shown, setShown] = useState(false)
  return (
    <FieldFrame {...{ label, labelHidden, hint, error, id }}>
      {(wiring) => (
        <div className="relative">
          <input
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
            {...rest}
            {...wiring}
            type={shown ? 'text' : 'password'}
            className={`${controlClass} pe-(--control)`}
          />
          <span className="absolute inset-y-0 inset-e-0 grid place-items-center">
            <IconButton label={shown ? 'Hide password' : 'Show password'} onClick={() => setShown(!shown)}>
              {shown ? <EyeOff aria-hidden /> : <Eye aria-hidden />}
            </IconButton>
          </span>
        </div>
      )}
    </FieldFrame>
  )
}
