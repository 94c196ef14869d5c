import { assertEquals } from "@std/assert";
import {
  secretNames,
  variableOf,
} from "../../../src/dev/inspector/secret_names.ts";
import { assertCpuTime } from "../../support/cpu_time.ts";

const namesIn = (text: string) => text.trim().split(/\s+/);

const SECRET = namesIn(`
  password Password PASSWORD passwd pwd passWord pass_word user-password
  dbPassword newpassword password2 passwordHash password_confirmation passphrase
  passcode passkey user[password] credentials.password pass secret clientSecret
  client_secret CLIENT-SECRET secretKey clientsecret token tokens accessToken
  access_token ACCESS_TOKEN accesstoken idToken refreshTokens X-Auth-Token
  csrfToken token_id id_token_hint XSRF-TOKEN apiKey api_key API-KEY apikey
  APIKey xApiKey x-api-key X-Goog-Api-Key Ocp-Apim-Subscription-Key privateKey
  private_key private-keys sshKey signingKey accessKeyId credential credentials
  awsCredentials creds session sessionId session_id sessionid PHPSESSID
  JSESSIONID sid connect.sid sessionToken otp OTP otpCode totp mfaCode
  recoveryCodes pin PIN userPin pin_code pinHash cvv cvv2 CVC cardNumber ssn jwt
  jwtToken csrf _csrf xsrf csrfmiddlewaretoken X-CSRF-Token auth authorization
  X-Authorization Proxy-Authorization cookie Set-Cookie bearer signature
  X-Amz-Signature X-Amz-Security-Token code_verifier
`);

const HARMLESS = namesIn(`
  author authors authority authorId authored authoring co-author authenticated
  authorizationUrl tokenize tokenizer tokenized tokenCount tokenType token_type
  token_type_hint max_tokens promptTokens total_tokens tokenExpiresAt
  token_expires_in tokenUrl tokenEndpoint key keys keyboard keyword publicKey
  primary_key foreignKey sortKey monkey turkey designKey idempotency-key
  sec-websocket-key cacheKey pagination page passenger passage passport compass
  bypass passed passing passRate boardingPass secretary secretariat secretion
  passwordPolicy passwordStrength passwordUrl passwordChangedAt sessions
  sessionDuration session_count sessionName obsession possession professional
  pinned pins shipping spinner opinion pinterest option optional hotpot
  footprint potpie credit credits accredited cookies cookiePolicy cookieName
  assigned signatureDate apiKeyName csrfHeaderName secretName name id email user
  status www-authenticate content-type accept etag x-request-id currency
`);

Deno.test("secretNames() finds names of secrets, and further names, in any notation", () => {
  const isSecret = secretNames();
  assertEquals(SECRET.filter((name) => !isSecret(name)), []);
  assertEquals(HARMLESS.filter(isSecret), []);
  const isFurther = secretNames(["tenantId", "X-Plate", "密码", "a.b*(", ""]);
  const names = namesIn(
    "tenantId tenant_id X-Tenant-ID my[tenantId] x-plate 密码 a.b*( password",
  );
  assertEquals(names.filter((name) => !isFurther(name)), []);
  assertEquals(["tenant", "plate", "tenantIds", "", "*"].filter(isFurther), []);
});

Deno.test("secretNames() returns words of its own instead of parts of a name", () => {
  const isSecret = secretNames(["tenantId", "密码"]);
  const words = {
    "access_token": "token",
    "X-API-Key": "api-key",
    "hunter2.password": "password",
    "aHVudGVyMg_password": "password",
    "tokenId7": "token",
    "pin1234": "pin",
    "my-pin-code": "pin-code",
    "2faCode": "2fa-code",
    "connect.sid": "connect-sid",
    "hunter2[tenant_id]": "tenant-id",
    "x-tenantid": "tenantid",
    "密码": "secret",
  };
  for (const [name, word] of Object.entries(words)) {
    assertEquals(isSecret(name), word, name);
  }
});

Deno.test("secretNames() checks long names in linear time", () => {
  const isSecret = secretNames();
  const parts = ["a", "-", "token-", "pass-", "A", "aA", "[", "key-in-"];
  // Quadratic time would be minutes.
  return assertCpuTime(10_000, () => {
    for (const part of parts) isSecret(part.repeat(200_000));
  });
});

Deno.test("variableOf() names environment variables that shells accept", () => {
  assertEquals(
    ["accessToken", "x-api-key", "password 2", "2faCode", "authorization"]
      .map(variableOf),
    ["ACCESS_TOKEN", "X_API_KEY", "PASSWORD_2", "_2FA_CODE", "AUTHORIZATION"],
  );
});
