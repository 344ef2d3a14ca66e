package drover.gateway;

import java.util.UUID;

/** Slow readers inside one process. */
class InProcessSlowConsumerTest extends SlowConsumerContract {
    @Override
    GatewayFixture open() {
        return GatewayFixture.inProcess(UUID.randomUUID().toString(), TestLimits.unlimitedRate());
    }
}
