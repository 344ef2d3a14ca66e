package drover.coordinator.access;

import static org.assertj.core.api.Assertions.assertThat;

import drover.coordinator.access.JwtClaimRules.Claims;
import drover.coordinator.access.JwtClaimRules.Result;
import drover.kit.access.Principal;
import drover.kit.access.Scope;
import drover.model.RefusalCode;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("H7: what a token must say")
final class JwtClaimRulesTest {
    private static final Instant NOW = Instant.parse("2026-01-31T12:00:00Z");
    private static final Duration HOUR = Duration.ofHours(1);

    @Test
    void aTokenOfAnHourIsGoodToItsLastMoment() {
        assertThat(judged(NOW, NOW.plus(HOUR), NOW)).isInstanceOf(Result.Valid.class);
        assertThat(judged(NOW, NOW.plus(HOUR), NOW.plus(HOUR).minusMillis(1)))
                .isInstanceOf(Result.Valid.class);
        assertThat(code(judged(NOW, NOW.plus(HOUR), NOW.plus(HOUR))))
                .isEqualTo(RefusalCode.CREDENTIAL_EXPIRED);
    }

    @Test
    void aLongerOneIsRefused() {
        assertThat(sentence(judged(NOW, NOW.plus(HOUR).plusSeconds(1), NOW)))
                .contains("more than an hour");
        assertThat(sentence(judged(Instant.MIN, Instant.MAX, NOW))).contains("more than an hour");
    }

    @Test
    void aClockMayBeAMinuteAheadAndNoMore() {
        Instant ahead = NOW.plusSeconds(60);
        assertThat(judged(ahead, ahead.plusSeconds(9), NOW)).isInstanceOf(Result.Valid.class);
        assertThat(sentence(judged(ahead.plusSeconds(1), ahead.plusSeconds(9), NOW)))
                .contains("not good yet");
        assertThat(
                        sentence(
                                judge(
                                        claims(
                                                "ann",
                                                "https://issuer",
                                                List.of("drover"),
                                                NOW,
                                                ahead.plusSeconds(1),
                                                NOW.plusSeconds(300)),
                                        NOW)))
                .contains("not good yet");
    }

    @Test
    void whatIsMissingIsRefused() {
        assertThat(sentence(judged(null, NOW.plusSeconds(9), NOW))).contains("since when");
        assertThat(sentence(judged(NOW, null, NOW))).contains("until when");
        assertThat(sentence(claims(null, "https://issuer", List.of("drover")))).contains("'sub'");
        assertThat(sentence(claims("ann", null, List.of("drover")))).contains("not issued by");
        assertThat(sentence(claims("ann", "https://issuer", List.of()))).contains("not meant for");
    }

    @Test
    void whatIsMeantForOthersIsRefused() {
        assertThat(sentence(claims("ann", "https://issuer/", List.of("drover"))))
                .isEqualTo("The token is not taken: it was not issued by https://issuer.");
        assertThat(sentence(claims("ann", "https://issuer", List.of("drove", "Drover"))))
                .isEqualTo("The token is not taken: it is not meant for drover.");
    }

    @Test
    void aSubjectThatCouldPassForMoreIsRefused() {
        for (String subject : List.of("", "ann bob", "ann\nbob", "ännchen", "a".repeat(201))) {
            assertThat(sentence(claims(subject, "https://issuer", List.of("drover"))))
                    .contains("'sub'");
        }
    }

    @Test
    void onlyScopesOfDroverCount() {
        assertThat(claims("ann@example.test", "https://issuer", List.of("other", "drover")))
                .isEqualTo(
                        new Result.Valid(
                                new Principal(
                                        Principal.Kind.JWT,
                                        "ann@example.test",
                                        Set.of(Scope.ROLLOUTS_READ))));
    }

    private static Result judged(@Nullable Instant issued, @Nullable Instant end, Instant now) {
        return judge(claims("ann", "https://issuer", List.of("drover"), issued, null, end), now);
    }

    private static Result claims(
            @Nullable String subject, @Nullable String issuer, List<String> audience) {
        return judge(claims(subject, issuer, audience, NOW, null, NOW.plusSeconds(300)), NOW);
    }

    private static Claims claims(
            @Nullable String subject,
            @Nullable String issuer,
            List<String> audience,
            @Nullable Instant issued,
            @Nullable Instant start,
            @Nullable Instant end) {
        return new Claims(
                subject,
                issuer,
                audience,
                issued,
                start,
                end,
                List.of("openid", "rollouts:read", "rollouts:READ", "admin"));
    }

    private static Result judge(Claims claims, Instant now) {
        return JwtClaimRules.validate(claims, "https://issuer", "drover", now);
    }

    private static RefusalCode code(Result worth) {
        return ((Result.Invalid) worth).code();
    }

    private static String sentence(Result worth) {
        assertThat(code(worth)).isEqualTo(RefusalCode.CREDENTIAL_UNKNOWN);
        return ((Result.Invalid) worth).sentence();
    }
}
