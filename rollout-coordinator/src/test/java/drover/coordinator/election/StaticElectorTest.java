package drover.coordinator.election;

final class StaticElectorTest extends ElectorContract {
    @Override
    LeaderElector elector() {
        return new StaticElector();
    }
}
