// Says of each URL on standard input whether a crawler may fetch it, and which line of the robots.txt
// decides:
//
//	go run filter.go robots.txt MyCrawler <urls.txt
//
// By cgo. Programs without cgo run the WebAssembly module under wazero instead.
package main

/*
#cgo pkg-config: robotsieve
#include <robotsieve.h>
*/
import "C"

import (
	"bufio"
	"errors"
	"fmt"
	"log"
	"os"
	"runtime"
	"unsafe"
)

// Policy is the rules of a robots.txt for one crawler.
type Policy struct{ handle *C.robotsieve_policy }

// text is the address and the length of bytes, which must stay alive during the call.
func text(bytes []byte) (*C.char, C.size_t) {
	if len(bytes) == 0 {
		return nil, 0
	}
	return (*C.char)(unsafe.Pointer(&bytes[0])), C.size_t(len(bytes))
}

func policyOf(file []byte, name string) (*Policy, error) {
	var failed C.robotsieve_error
	data, size := text([]byte(name))
	crawler := C.robotsieve_crawler_named(data, size, C.ROBOTSIEVE_PROFILE_RFC9309, &failed)
	if crawler == nil {
		return nil, errors.New(C.GoString(&failed.message[0]))
	}
	defer C.robotsieve_crawler_free(crawler)
	data, size = text(file)
	robots := C.robotsieve_robots_parse(data, size, C.ROBOTSIEVE_PROFILE_RFC9309, &failed)
	if robots == nil {
		return nil, errors.New(C.GoString(&failed.message[0]))
	}
	defer C.robotsieve_robots_free(robots)
	handle := C.robotsieve_policy_new(robots, crawler, &failed)
	if handle == nil {
		return nil, errors.New(C.GoString(&failed.message[0]))
	}
	policy := &Policy{handle}
	runtime.SetFinalizer(policy, func(policy *Policy) { C.robotsieve_policy_free(policy.handle) })
	return policy, nil
}

func main() {
	file, err := os.ReadFile(os.Args[1])
	if err != nil {
		log.Fatal(err)
	}
	policy, err := policyOf(file, os.Args[2])
	if err != nil {
		log.Fatal(err)
	}
	for lines := bufio.NewScanner(os.Stdin); lines.Scan(); {
		var decision C.robotsieve_decision
		data, size := text(lines.Bytes())
		verdict := "invalid"
		if C.robotsieve_policy_decide(policy.handle, data, size, &decision, nil) == C.ROBOTSIEVE_STATUS_OK {
			verdict = "disallow"
			if decision.verdict == C.ROBOTSIEVE_ANSWER_ALLOW {
				verdict = "allow"
			}
		}
		fmt.Println(verdict, decision.line, lines.Text())
	}
	fmt.Println("delay", C.robotsieve_policy_delay(policy.handle))
	runtime.KeepAlive(policy)
}
