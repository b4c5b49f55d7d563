import type { JSX } from 'react'
import type { GenericSchema, InferOutput } from 'valibot'
import { parse } from '#contract/parse.ts'
import { t } from '../../lib/texts/translate.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/form/field.tsx'
import { useForm } from '../../ui/form/use-form.ts'
import type { Outcome } from './floor-actions.ts'

type AddFormProps<S extends GenericSchema> = {
  schema: S
  /** The only field of the schema. */
  name: string
  label: string
  /** At most, and before its button goes to a line of its own. */
  width: { most: string; least: string }
  addLabel: string
  add: (value: InferOutput<S>) => Promise<Outcome>
}

/** A field and a button that add one more to a list. The field keeps the focus, for the next one. */
export function AddForm<S extends GenericSchema>(props: AddFormProps<S>): JSX.Element {
  const { schema, name, label, width, addLabel, add } = props
  const form = useForm({
    initial: { [name]: '' },
    parse: (values) => parse(schema, values),
    async submit(value, { reset, focus }) {
      focus(name)
      if ((await add(value)) === 'done') reset()
    },
  })
  return (
    <form {...form.props} className="flex max-w-full flex-wrap items-start gap-2">
      <div className="min-w-0 flex-1" style={{ maxWidth: width.most, flexBasis: width.least }}>
        <Field label={label} labelHidden placeholder={label} autoComplete="off" {...form.field(name)} />
      </div>
      <Button type="submit" pending={form.busy} pendingLabel={t('Adding…')}>
        {addLabel}
      </Button>
    </form>
  )
}
