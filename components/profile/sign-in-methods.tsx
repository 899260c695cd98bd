import { Facts } from "@/components/ui/panel";
import { Time } from "@/components/ui/time";
import { signInMethodNames } from "@/lib/sessions/sign-in-methods";
import type { Provider } from "@/prisma/generated/enums";

type SignInMethodsProps = {
  email: string;
  hasPassword: boolean;
  accounts: {
    provider: Provider;
    accountId: string;
    email: string;
    linkedAt: Date;
    lastUsedAt: Date;
  }[];
  configured: Provider[];
  now: Date;
};

/** The user's sign-in methods, and those that they could link. */
export function SignInMethods({
  email,
  hasPassword,
  accounts,
  configured,
  now,
}: SignInMethodsProps) {
  const providers = [...new Set([...configured, ...accounts.map(({ provider }) => provider)])];
  return (
    <Facts
      facts={[
        { name: "Password", value: hasPassword ? "Set" : "None. You can set one below." },
        ...providers.map((provider) => {
          const linked = accounts.filter((account) => account.provider === provider);
          const value = linked.map((account) => (
            <p key={account.accountId}>
              {account.email}, linked <Time at={account.linkedAt} now={now} />, last used{" "}
              <Time at={account.lastUsedAt} now={now} />
            </p>
          ));
          const note = `Not linked. To link it, sign in with an account whose verified email address is ${email}.`;
          return {
            name: signInMethodNames[provider],
            value: linked.length > 0 ? value : <span className="text-muted">{note}</span>,
          };
        }),
      ]}
    />
  );
}
