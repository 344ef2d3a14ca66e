package drover.cli.access;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.util.Durations;
import drover.access.v1.CreateJoinTokenRequest;
import drover.access.v1.RevokeJoinTokenRequest;
import drover.cli.CommandResult;
import drover.cli.FakeDrover;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.Test;

/** Join tokens, as an operator makes and ends them. */
final class TokenCommandsTest {
    @AutoClose private final FakeDrover drover = new FakeDrover();

    @Test
    void aNewTokenIsPrintedAlone() {
        CommandResult typed =
                CommandResult.on(
                        drover, "token", "create", "--chain", "harbour", "--type", "edge",
                        "--label", "zone=a", "--label", "rack=7", "--uses", "3", "--for", "10m");
        assertThat(typed.out()).isEqualTo("jt1.id.secret.pin\n");
        assertThat(drover.requested)
                .containsExactly(
                        CreateJoinTokenRequest.newBuilder()
                                .setChainProfileId("harbour")
                                .setNodeType("edge")
                                .putLabels("zone", "a")
                                .putLabels("rack", "7")
                                .setMaxUses(3)
                                .setLifetime(Durations.fromMinutes(10))
                                .build());
    }

    @Test
    void aTokenForOneNodeIsGoodOnceForHalfAnHour() {
        CommandResult.on(
                drover, "token", "create", "--chain", "harbour", "--type", "edge", "--node", "b1");
        assertThat(drover.requested)
                .containsExactly(
                        CreateJoinTokenRequest.newBuilder()
                                .setChainProfileId("harbour")
                                .setNodeType("edge")
                                .setNodeId("b1")
                                .setMaxUses(1)
                                .setLifetime(Durations.fromMinutes(30))
                                .build());
    }

    @Test
    void tokensAreListedWithWhatTheyAreWorth() {
        assertThat(CommandResult.on(drover, "token", "list").out().lines())
                .anySatisfy(line -> assertThat(line).matches("a +good +0 of 1 +in 1m .*berth-01"))
                .anySatisfy(line -> assertThat(line).matches("b +used up +1 of 1 .*any"))
                .anySatisfy(line -> assertThat(line).matches("c +expired +0 of 1 +1m ago .*"))
                .anySatisfy(line -> assertThat(line).matches("d +revoked .*"));
    }

    @Test
    void aTokenIsRevoked() {
        assertThat(CommandResult.on(drover, "token", "revoke", "a").out())
                .isEqualTo("The join token a is revoked.\n");
        assertThat(drover.requested)
                .containsExactly(RevokeJoinTokenRequest.newBuilder().setTokenId("a").build());
    }
}
