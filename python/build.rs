fn main() -> std::io::Result<()> {
    robotsieve_python_stubs::write("types/_robotsieve.pyi", "_robotsieve.pyi")
}
