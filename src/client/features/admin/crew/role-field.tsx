import type { ComponentProps, JSX } from 'react'
import { crewRoles } from '#contract/crew/crew.ts'
import { t } from '../../../lib/texts/translate.ts'
import { SelectField } from '../../../ui/form/select-field.tsx'

export function RoleField(field: Omit<ComponentProps<typeof SelectField>, 'label'>): JSX.Element {
  return (
    <SelectField label={t('Role')} {...field}>
      {crewRoles.map((role) => (
        <option key={role} value={role}>
          {t(role)}
        </option>
      ))}
    </SelectField>
  )
}
