// A form made from a JSON schema. Its state is a draft, so that a text stays as typed.
import { useId } from 'preact/hooks'
import { textOf } from '../parts/text-of.js'
import { type Draft, draftOf, draftOfVariant, memberOf, needOf, newItem, type ObjectDraft, read } from './draft.js'
import {
  choicesOf,
  describeLimits,
  initialValue,
  itemOf,
  kindOf,
  type Member,
  membersOf,
  type Schema,
  type Shape,
  typeOf,
  variantsOf,
} from './schema.js'

interface FieldProps {
  readonly shape: Shape
  readonly draft: Draft
  readonly onChange: (draft: Draft) => void
}

/** The fields of a whole form. The outermost object needs no label. */
export function RootFields({ shape, draft, onChange }: FieldProps) {
  const id = useId()
  if (kindOf(shape) === 'object') return <ObjectFields shape={shape} draft={draft} onChange={onChange} />
  return (
    <div class="fields">
      <Control
        id={id}
        label="Arguments"
        shape={shape}
        draft={draft}
        need="required"
        describedBy={undefined}
        onChange={onChange}
      />
    </div>
  )
}

const emptyObject: ObjectDraft = { members: {}, others: {} }

function ObjectFields({ shape, draft, onChange }: FieldProps) {
  const object = draft !== undefined && 'members' in draft ? draft : emptyObject
  const others = Object.keys(object.others)
  return (
    <div class="fields">
      {membersOf(shape).map((member) => (
        <LabelledField
          key={member.name}
          member={member}
          draft={memberOf(object.members, member)}
          onChange={(changed) => onChange({ ...object, members: { ...object.members, [member.name]: changed } })}
        />
      ))}
      {others.length === 0 ? null : (
        <p class="help">
          Also sent, without a field: <code>{others.join(', ').slice(0, 300)}</code>
        </p>
      )}
    </div>
  )
}

interface LabelledProps extends Omit<FieldProps, 'shape'> {
  readonly member: Member
}

function LabelledField({ member, draft, onChange }: LabelledProps) {
  const id = useId()
  const { name, shape, isRequired } = member
  const { schema } = shape
  const { title, description } = schema
  const kind = kindOf(shape)
  const help = [typeof description === 'string' ? description.slice(0, 2000) : '', describeLimits(schema)]
    .filter((text) => text !== '')
    .join(' — ')
  const label = (
    <>
      <span class="field-name">{typeof title === 'string' ? title.slice(0, 300) : name}</span>
      {isRequired && kind !== 'boolean' ? <span class="required">required</span> : null}
      <span class="field-type">{kind === 'choice' ? 'choice' : typeOf(schema) || 'any'}</span>
    </>
  )
  const control = (
    <Control
      id={id}
      label={name}
      shape={shape}
      draft={draft}
      need={needOf(member)}
      describedBy={help === '' ? undefined : `${id}-help`}
      onChange={onChange}
    />
  )
  const text =
    help === '' ? null : (
      <p class="help" id={`${id}-help`}>
        {help}
      </p>
    )
  if (['object', 'list', 'choices', 'union'].includes(kind)) {
    return (
      <fieldset class="field group" data-field={name}>
        <legend>{label}</legend>
        {text}
        {control}
      </fieldset>
    )
  }
  return (
    <div class="field" data-field={name}>
      <label for={id}>{label}</label>
      {control}
      {text}
    </div>
  )
}

interface ControlProps extends FieldProps {
  readonly id: string
  /** A name for controls without a label of their own. */
  readonly label: string
  readonly need: 'optional' | 'required' | 'item'
  readonly describedBy: string | undefined
}

interface LeafProps extends ControlProps {
  /** Attributes that every control has. */
  readonly shared: Readonly<Record<'id', string> & Record<string, unknown>>
}

const leaves = {
  text: TextControl,
  number: NumberControl,
  integer: NumberControl,
  boolean: BooleanControl,
  choice: ChoiceControl,
  json: JsonControl,
} as const

/** A control, and the reason why its value cannot be sent. */
function Control(props: ControlProps) {
  const { id, shape, draft, need, describedBy } = props
  const kind = kindOf(shape)
  const isMisfit = draft !== undefined && 'misfit' in draft
  // The parts of a group describe their problems themselves.
  const problem = isMisfit || kind in leaves ? read(shape, draft, need).problem : ''
  const error =
    problem === '' ? null : (
      <p class="field-error" id={`${id}-error`} role="status">
        {problem}
      </p>
    )
  if (!(kind in leaves)) {
    return (
      <>
        <Group {...props} />
        {error}
      </>
    )
  }
  const Leaf = leaves[kind as keyof typeof leaves]
  const described = [describedBy, problem === '' ? undefined : `${id}-error`].filter((each) => each !== undefined)
  const shared = {
    id,
    'aria-describedby': described.length === 0 ? undefined : described.join(' '),
    'aria-required': need !== 'optional',
    'aria-invalid': problem !== '' || undefined,
  }
  return (
    <>
      <Leaf {...props} shared={shared} />
      {error}
    </>
  )
}

function Group(props: ControlProps) {
  switch (kindOf(props.shape)) {
    case 'list':
      return <ListControl {...props} />
    case 'choices':
      return <ChoicesControl {...props} />
    case 'object':
      return <NestedControl {...props} />
    default:
      return <VariantControl {...props} />
  }
}

function textIn(draft: Draft): string {
  return draft !== undefined && 'text' in draft ? draft.text : ''
}

/** Formats of one line. The types of inputs for them change what is typed, or hide a part of it. */
const placeholders: Readonly<Record<string, string>> = {
  date: 'YYYY-MM-DD',
  time: 'hh:mm:ssZ',
  'date-time': 'YYYY-MM-DDThh:mm:ssZ',
  email: '',
  uri: '',
  uuid: '',
}

const inputModes: Readonly<Record<string, 'email' | 'url'>> = { email: 'email', uri: 'url' }

function TextControl({ shape: { schema }, draft, shared, onChange }: LeafProps) {
  const { format, maxLength } = schema
  const text = textIn(draft)
  const onInput = ({ currentTarget }: { currentTarget: { value: string } }): void =>
    onChange({ text: currentTarget.value })
  const example = exampleOf(schema)
  const named = textOf(format)
  const isShort = Object.hasOwn(placeholders, named) && !text.includes('\n')
  if (isShort) {
    return (
      <input
        {...shared}
        type="text"
        inputMode={inputModes[named]}
        autocomplete="off"
        spellcheck={false}
        placeholder={example === '' ? placeholders[named] : example}
        value={text}
        onInput={onInput}
      />
    )
  }
  const least = typeof maxLength === 'number' && maxLength > 200 ? 3 : 1
  return (
    <textarea
      {...shared}
      class="growing"
      rows={rowsOf(text, least)}
      placeholder={example}
      autocomplete="off"
      value={text}
      onInput={onInput}
    />
  )
}

/** What the server uses in place of an empty field, or an example. */
function exampleOf({ default: preset, examples }: Schema): string {
  if (preset !== undefined && preset !== null && preset !== '') return `default: ${textOf(preset).slice(0, 200)}`
  return Array.isArray(examples) && examples.length > 0 ? textOf(examples[0]) : ''
}

export function rowsOf(text: string, least: number): number {
  return Math.min(Math.max(text.split('\n').length, least), 12)
}

/** A text: an input of type `number` changes what is typed, and does not say what it contains. */
function NumberControl({ shape, draft, shared, onChange }: LeafProps) {
  return (
    <input
      {...shared}
      type="text"
      inputMode="decimal"
      autocomplete="off"
      spellcheck={false}
      placeholder={exampleOf(shape.schema)}
      value={textIn(draft)}
      onInput={({ currentTarget }) => onChange({ text: currentTarget.value })}
    />
  )
}

/** A switch, if the value is always sent. Otherwise it has a third state. */
function BooleanControl({ shape, draft, need, shared, onChange }: LeafProps) {
  const flag = draft !== undefined && 'flag' in draft ? draft.flag : null
  if ((need !== 'optional' || 'default' in shape.schema) && flag !== null) {
    return (
      <span class="switch">
        <input
          {...shared}
          aria-required={undefined}
          type="checkbox"
          role="switch"
          checked={flag}
          onChange={({ currentTarget }) => onChange({ flag: currentTarget.checked })}
        />
        <span aria-hidden="true">{String(flag)}</span>
      </span>
    )
  }
  return (
    <select
      {...shared}
      value={flag === null ? '' : String(flag)}
      onChange={({ currentTarget: { value } }) => onChange(value === '' ? undefined : { flag: value === 'true' })}
    >
      <option value="">{need === 'optional' ? 'Not set' : 'Choose…'}</option>
      <option value="true">true</option>
      <option value="false">false</option>
    </select>
  )
}

function ChoiceControl({ shape, draft, need, shared, onChange }: LeafProps) {
  const selected = draft !== undefined && 'choice' in draft ? String(draft.choice) : ''
  return (
    <select
      {...shared}
      value={selected}
      onChange={({ currentTarget: { value } }) => onChange(value === '' ? undefined : { choice: Number(value) })}
    >
      <option value="">{need === 'optional' ? 'Not set' : 'Choose…'}</option>
      {(choicesOf(shape) ?? []).map(({ title }, index) => (
        <option key={index} value={String(index)}>
          {title.slice(0, 300)}
        </option>
      ))}
    </select>
  )
}

/** Any JSON. */
function JsonControl({ draft, shared, onChange }: LeafProps) {
  const text = textIn(draft)
  return (
    <textarea
      {...shared}
      class="code"
      rows={rowsOf(text, 3)}
      spellcheck={false}
      placeholder="JSON"
      value={text}
      onInput={({ currentTarget }) => onChange({ text: currentTarget.value })}
    />
  )
}

function ListControl({ id, label, shape, draft, onChange }: ControlProps) {
  const items = draft !== undefined && 'items' in draft ? draft.items : []
  const item = itemOf(shape)
  const isGroup = !(kindOf(item) in leaves)
  return (
    <div class="items">
      {items.map(({ key, draft: each }, index) => (
        <div class="item" key={key}>
          <div class="item-control">
            {isGroup ? null : (
              <label class="visually-hidden" for={`${id}-${key}`}>
                Item {index + 1}
              </label>
            )}
            <Control
              id={`${id}-${key}`}
              label={`${label} ${index + 1}`}
              shape={item}
              draft={each}
              need="item"
              describedBy={undefined}
              onChange={(changed) => onChange({ items: items.with(index, { key, draft: changed }) })}
            />
          </div>
          <button
            type="button"
            class="icon-button"
            aria-label={`Remove item ${index + 1}`}
            title={`Remove item ${index + 1}`}
            onClick={() => onChange({ items: items.toSpliced(index, 1) })}
          >
            ×
          </button>
        </div>
      ))}
      <button
        type="button"
        class="small"
        onClick={() => onChange({ items: [...items, newItem(draftOf(item, initialValue(item)))] })}
      >
        + Add item
      </button>
    </div>
  )
}

function ChoicesControl({ shape, draft, onChange }: ControlProps) {
  const picked = draft !== undefined && 'picked' in draft ? draft.picked : []
  return (
    <div class="checks">
      {(choicesOf(itemOf(shape)) ?? []).map(({ title }, index) => (
        <label key={index} class="check">
          <input
            type="checkbox"
            checked={picked.includes(index)}
            onChange={({ currentTarget }) => {
              const others = picked.filter((each) => each !== index)
              onChange({ picked: currentTarget.checked ? [...others, index].toSorted((a, b) => a - b) : others })
            }}
          />
          {title.slice(0, 300)}
        </label>
      ))}
    </div>
  )
}

/** An object. One that is not there is added first, so that a schema that contains itself ends somewhere. */
function NestedControl({ shape, draft, need, onChange }: ControlProps) {
  if (draft === undefined || !('members' in draft)) {
    return (
      <button type="button" class="small" onClick={() => onChange(draftOf(shape, initialValue(shape) ?? {}))}>
        + Add
      </button>
    )
  }
  return (
    <>
      <ObjectFields shape={shape} draft={draft} onChange={onChange} />
      {need === 'optional' ? (
        <button type="button" class="small" onClick={() => onChange(undefined)}>
          Remove
        </button>
      ) : null}
    </>
  )
}

/** A union: first the choice of a variant, then its fields. */
function VariantControl({ id, label, shape, draft, need, describedBy, onChange }: ControlProps) {
  const variants = variantsOf(shape)
  const { variant, draft: inner } =
    draft !== undefined && 'variant' in draft ? draft : { variant: -1, draft: undefined }
  const chosen = variants[variant]
  // A variant of one value has nothing to fill in.
  const isConstant = chosen !== undefined && choicesOf(chosen.shape)?.length === 1
  return (
    <div class="variant">
      <select
        id={id}
        aria-label={`Variant of ${label}`}
        aria-describedby={describedBy}
        value={String(variant)}
        onChange={({ currentTarget }) => onChange(draftOfVariant(shape, Number(currentTarget.value)))}
      >
        <option value="-1">{need === 'optional' ? 'Not set' : 'Choose…'}</option>
        {variants.map(({ title }, index) => (
          <option key={index} value={String(index)}>
            {title.slice(0, 300)}
          </option>
        ))}
      </select>
      {chosen === undefined || isConstant ? null : (
        <div key={variant} class="variant-value">
          <Control
            id={`${id}-value`}
            label={`${label}: ${chosen.title.slice(0, 100)}`}
            shape={chosen.shape}
            draft={inner}
            need={need === 'optional' ? 'required' : need}
            describedBy={undefined}
            onChange={(changed) => onChange({ variant, draft: changed })}
          />
        </div>
      )}
    </div>
  )
}
