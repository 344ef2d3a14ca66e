package drover.gateway;

/** Slow readers on real ports. */
class LoopbackSlowConsumerIT extends SlowConsumerContract {
    @Override
    GatewayFixture open() {
        return GatewayFixture.onLoopback(TestLimits.unlimitedRate());
    }
}
