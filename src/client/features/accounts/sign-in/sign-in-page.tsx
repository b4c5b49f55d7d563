import type { JSX, ReactNode } from 'react'
import { Card } from '../../../ui/card.tsx'
import type { Form } from '../../../ui/form/use-form.ts'
import { BackLink } from '../../../ui/page/back-link.tsx'
import { LanguageSelect } from '../../../ui/page/language-select.tsx'
import { Page } from '../../../ui/page/page.tsx'
import { DemoOver } from '../demo-over.tsx'

type SignInPageProps = {
  title: string
  subtitle: string
  /** The target of Back. */
  back: string
  form: Form
  /** The fields and the button. */
  children: ReactNode
  /** Above the form, such as a quicker sign-in. */
  before?: ReactNode
  /** Below the form, such as a link to another login. */
  after?: ReactNode
}

export function SignInPage(props: SignInPageProps): JSX.Element {
  const { title, subtitle, back, form, children, before, after } = props
  return (
    <Page
      theme="light"
      title={title}
      subtitle={subtitle}
      width="narrow"
      stacked
      back={<BackLink href={back} />}
    >
      <DemoOver />
      {before}
      <Card>
        <form {...form.props} className="flex flex-col gap-4">
          {children}
        </form>
      </Card>
      {after}
      <LanguageSelect />
    </Page>
  )
}
