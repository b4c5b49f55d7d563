import type { JSX } from 'react'
import { DayRange } from '#contract/analytics.ts'
import { parse } from '#contract/parse.ts'
import { t } from '../../../lib/texts/translate.ts'
import { Button } from '../../../ui/button.tsx'
import { Field } from '../../../ui/form/field.tsx'
import { useForm } from '../../../ui/form/use-form.ts'

type CustomRangeFormProps = {
  today: string
  range: DayRange
  onChange: (range: DayRange) => void
  labels?: readonly [string, string]
}

export function CustomRangeForm(props: CustomRangeFormProps): JSX.Element {
  const { today, range, onChange, labels = [t('First day'), t('Last day')] } = props
  const form = useForm({
    initial: range,
    parse: (values) => parse(DayRange, values),
    submit: (chosen) => onChange(chosen),
    inline: true,
  })
  return (
    <form {...form.props} className="flex flex-wrap items-start gap-4">
      <div className="min-w-[min(12rem,100%)] flex-1 sm:max-w-56">
        <Field label={labels[0]} type="date" max={today} required {...form.field('from')} />
      </div>
      <div className="min-w-[min(12rem,100%)] flex-1 sm:max-w-56">
        <Field label={labels[1]} type="date" max={today} required {...form.field('to')} />
      </div>
      {/* Aligned with the inputs, not with an error below them. */}
      <div className="mt-7">
        <Button type="submit">{t('Show')}</Button>
      </div>
    </form>
  )
}
