/**
 * Lines for files that exist. `inside` is the start of the first line of a block: the text goes to the
 * block's end. `after` and `before` are the start of the line next to the text. Without any of them,
 * the text goes to the end of the file. The formatter sorts the imports afterwards.
 */
export type Edit = {
  file: string;
  inside?: string;
  after?: string;
  before?: string;
  text: string;
};

const addImport = (file: string, names: string, from: string): Edit => ({
  file,
  before: "import ",
  text: `import ${names} from "${from}";`,
});

const trigger = `
CREATE TRIGGER "sample_items_remember_deleted" AFTER DELETE ON "sample_items" REFERENCING OLD TABLE AS gone
  FOR EACH STATEMENT EXECUTE FUNCTION "remember_deleted_items"('');
`;

/** The cursors of a list outlive its items: this is what Prisma cannot express. */
export const migrationSql = trigger;

export const edits: Edit[] = [
  {
    file: "lib/resources/registry.ts",
    inside: "export const nouns = {",
    text: `
  sampleItem: {
    label: "sample item",
    idPrefix: "smp",
    api: {
      path: "sample-items",
      tag: { name: "Sample items", description: "Describe what sample items are for." },
    },
    list: { table: "sample_items", parent: null },
    scope: { name: "sample-items", label: "Sample items", presets: [] },
    events: ["sample_item.created", "sample_item.updated"],
    dashboardPath: "sample-items",
  },`,
  },
  {
    file: "prisma/schema.prisma",
    text: `
model SampleItem {
  tenantId    String      @map("tenant_id")
  environment Environment
  id          String
  name        String
  metadata    Json        @default("{}")
  createdAt   DateTime    @map("created_at") @db.Timestamptz(3)
  updatedAt   DateTime    @map("updated_at") @db.Timestamptz(3)

  @@id([tenantId, environment, id])
  @@map("sample_items")
}
`,
  },
  { file: "prisma/beyond-schema.sql", text: trigger },
  {
    file: "lib/test-data/service.sql.ts",
    inside: "const wiped: Wiped[] = [",
    text: `{ table: "sample_items", condition: isOld },`,
  },
  {
    file: "lib/tenant-deletion/delete-tenants.sql.ts",
    inside: "export const tenantTables: Table[] = [",
    text: `ofEnvironment("sample_items"),`,
  },

  addImport("lib/api/routes.ts", "* as sampleItems", "@/app/v1/public/sample-items/route"),
  addImport(
    "lib/api/routes.ts",
    "* as sampleItem",
    "@/app/v1/public/sample-items/[sampleItemId]/route",
  ),
  {
    file: "lib/api/routes.ts",
    inside: "export const routes",
    text: `"/v1/public/sample-items": sampleItems,
  "/v1/public/sample-items/{sampleItemId}": sampleItem,`,
  },
  addImport("lib/api/event-reference.ts", "{ sampleItemEvents }", "@/lib/sample-items/events"),
  {
    file: "lib/api/event-reference.ts",
    inside: "const declarations",
    text: "...sampleItemEvents,",
  },

  addImport("components/shell/navigation.ts", "{ Shapes }", "lucide-react"),
  {
    file: "components/shell/navigation.ts",
    after: `{ path: "knowledge"`,
    text: `{ path: "sample-items", name: "Sample items", Icon: Shapes },`,
  },

  addImport("sdk/src/parlance.ts", "{ sampleItemsOf }", "./sample-items"),
  {
    file: "sdk/src/parlance.ts",
    after: "readonly knowledgeBases:",
    text: "readonly sampleItems: ReturnType<typeof sampleItemsOf>;",
  },
  {
    file: "sdk/src/parlance.ts",
    after: "this.knowledgeBases =",
    text: "this.sampleItems = sampleItemsOf(caller);",
  },

  {
    file: "tests/sdk/operations.test.ts",
    inside: "const methods",
    text: `listSampleItems: ({ sampleItems }) => sampleItems.list(),
  createSampleItem: ({ sampleItems }) => sampleItems.create({ name: "First" }),
  getSampleItem: ({ sampleItems }) => sampleItems.get("sampleItemId"),
  updateSampleItem: ({ sampleItems }) => sampleItems.update("sampleItemId", {}),`,
  },
  {
    file: "tests/api/scopes.test.ts",
    inside: "ids = {",
    text: `sampleItemId: await made("/sample-items", { name: "Scopes" }),`,
  },
  {
    file: "tests/api/cursors.test.ts",
    inside: "const lists",
    text: `"sample items": {
    kind: "sampleItem",
    path: () => "/sample-items",
    add: (place) => post(place, "/sample-items", { name: "First" }),
    remove: (place, id) => db().sampleItem.delete(one(place, id)),
  },`,
  },
  {
    file: "tests/support/sample-resources.ts",
    inside: "const ways: Record<string",
    text: `smp: () => create("/sample-items", { name: "First" }),`,
  },
  {
    file: "tests/support/fill-tenant.ts",
    after: "export async function fillTenant",
    text: `await call(tenant, "POST", "/sample-items", { name: "First" });`,
  },
  addImport("tests/services/role-matrix.test.ts", "* as sampleItems", "@/lib/sample-items/service"),
  {
    file: "tests/services/role-matrix.test.ts",
    inside: "const matrix",
    text: `createSampleItem: [
    "MEMBER",
    "never",
    (caller) => sampleItems.createSampleItem(caller, { name: "First", metadata: {} }),
  ],
  updateSampleItem: [
    "MEMBER",
    "never",
    (caller) => sampleItems.updateSampleItem(caller, id("smp"), {}),
  ],`,
  },
];
