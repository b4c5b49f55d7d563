import { type JSX, useId } from 'react'
import {
  passwordStrength,
  type PasswordStrength,
  recommendedPasswordLength,
} from '../../lib/password-strength.ts'
import { tRich } from '../../lib/texts/translate-rich.ts'
import { t } from '../../lib/texts/translate.ts'

const levels: PasswordStrength[] = ['weak', 'fair', 'good', 'strong']
const names: Record<PasswordStrength, string> = {
  weak: 'Weak',
  fair: 'Fair',
  good: 'Good',
  strong: 'Strong',
}

/** Shown while a new password is typed: advice, never a refusal. */
export function PasswordStrengthMeter({ password }: { password: string }): JSX.Element | null {
  const label = useId()
  if (password === '') return null
  const strength = passwordStrength(password)
  const level = levels.indexOf(strength) + 1
  return (
    <div className="mt-2 flex flex-col gap-1">
      <div
        role="meter"
        aria-labelledby={label}
        aria-valuemin={0}
        aria-valuemax={levels.length}
        aria-valuenow={level}
        aria-valuetext={t(names[strength])}
        className="flex gap-1"
      >
        {levels.map((each, index) => (
          <span
            key={each}
            className={`h-1.5 flex-1 rounded-full border ${index < level ? levelClass(strength) : 'border-rule-strong bg-transparent'}`}
          />
        ))}
      </div>
      <p id={label} aria-live="polite" className="text-base text-text-mute">
        {tRich('Password strength: {strength}', {
          strength: (
            <strong key="strength" className="text-text">
              {t(names[strength])}
            </strong>
          ),
        })}
        {strength !== 'strong' &&
          `. ${t('{count} characters or more are recommended.', { count: recommendedPasswordLength })}`}
      </p>
    </div>
  )
}

const levelClass = (strength: PasswordStrength): string => {
  if (strength === 'weak') return 'border-late bg-late'
  return strength === 'fair' ? 'border-action bg-action' : 'border-done bg-done'
}
