import { sql } from "@/lib/platform/sql";

/** A valid session with its user: it is not revoked, has not expired, and was used recently. */
export const liveSessionStatement = sql(
  "live_session",
  { id: "text", now: "timestamptz", usedSince: "timestamptz" },
  (p) => `
  SELECT s.id AS "sessionId", s.method, s.proved_at AS "provedAt", s.last_seen_at AS "lastSeenAt",
    s.expires_at AS "expiresAt", u.id, u.name, u.email, u.password_hash IS NOT NULL AS "hasPassword",
    u.email_verified_at IS NOT NULL AS "isEmailVerified", u.second_factor_at IS NOT NULL AS "hasSecondFactor",
    ARRAY(
      SELECT json_build_object('role', m.role, 'tenant', json_build_object('id', t.id, 'slug', t.slug, 'name', t.name,
        'requiresSecondFactor', t.requires_second_factor, 'movedTo', t.moved_to))
      FROM memberships m JOIN tenants t ON t.id = m.tenant_id
      WHERE m.user_id = u.id AND m.suspended_at IS NULL ORDER BY t.moved_to IS NOT NULL, m.created_at, m.tenant_id
    ) AS memberships
  FROM sessions s JOIN users u ON u.id = s.user_id
  WHERE s.id = ${p.id} AND s.revoked_at IS NULL AND s.expires_at > ${p.now} AND s.last_seen_at > ${p.usedSince}`,
);
