package drover.gateway;

import java.util.UUID;

/** Slow readers inside one process. */
class InProcessPressureTest extends PressureContract {
    @Override
    GatewayFixture open() {
        return GatewayFixture.inProcess(UUID.randomUUID().toString(), OtherLimits.unlimitedRate());
    }
}
